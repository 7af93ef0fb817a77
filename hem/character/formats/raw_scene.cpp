// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/raw_scene.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxNodes = 20000, kMaxKeys = 10'000'000;
constexpr float kMaxLength = 1e7f;

// One visitor writes, the other reads; `visit` below lists the fields once for both.
struct Packer {
    std::vector<std::byte> bytes;
    bool ok = true;

    template <class T>
    void plain(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        const auto* begin = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), begin, begin + sizeof(T));
    }
    template <class List>
    void array(const List& list) {
        plain(uint64_t(list.size()));
        const auto* begin = reinterpret_cast<const std::byte*>(list.data());
        bytes.insert(bytes.end(), begin, begin + list.size() * sizeof(*list.data()));
    }
    template <class T, class Visit>
    void each(const std::vector<T>& list, Visit visit) {
        plain(uint64_t(list.size()));
        for (const T& item : list) visit(item);
    }
};

struct Unpacker {
    std::span<const std::byte> bytes;
    bool ok = true;

    bool take(void* out, size_t size) {
        if (!ok || size > bytes.size()) return ok = false;
        if (size > 0) std::memcpy(out, bytes.data(), size);
        bytes = bytes.subspan(size);
        return true;
    }
    template <class T>
    void plain(T& value) {
        take(&value, sizeof(T));
    }
    template <class List>
    void array(List& list) {
        uint64_t count = 0;
        plain(count);
        if (!ok || count > bytes.size() / sizeof(*list.data())) return void(ok = false);
        list.resize(size_t(count));
        take(list.data(), size_t(count) * sizeof(*list.data()));
    }
    template <class T, class Visit>
    void each(std::vector<T>& list, Visit visit) {
        uint64_t count = 0;
        plain(count);
        // every item takes a byte at least, so a false count cannot make a long list
        if (!ok || count > bytes.size()) return void(ok = false);
        for (uint64_t i = 0; ok && i < count; ++i) visit(list.emplace_back());
    }
};

template <class Io, class Scene>
void visit(Io& io, Scene& scene) {
    io.plain(scene.centimetres_per_unit);
    io.plain(scene.up_axis);
    io.plain(scene.up_sign);
    io.each(scene.nodes, [&](auto& node) {
        io.array(node.name);
        io.plain(node.parent);
        io.plain(node.parent_from_node);
    });
    io.each(scene.meshes, [&](auto& mesh) {
        io.array(mesh.name);
        io.plain(mesh.node);
        io.array(mesh.positions);
        io.array(mesh.uvs);
        io.array(mesh.colors);
        io.array(mesh.triangles);
        io.each(mesh.bones, [&](auto& bone) {
            io.array(bone.name);
            io.plain(bone.node);
            io.plain(bone.bone_from_mesh);
            io.array(bone.weights);
        });
    });
    io.each(scene.animations, [&](auto& animation) {
        io.array(animation.name);
        io.each(animation.channels, [&](auto& channel) {
            io.plain(channel.node);
            io.array(channel.positions);
            io.array(channel.scales);
            io.array(channel.rotations);
        });
    });
}

bool isUsable(const Affine& a) {
    if (!isFinite(a)) return false;
    const float volume = std::abs(determinant(a.linear()));
    return volume > 1e-18f && std::isfinite(volume) && length(a.translation()) < kMaxLength;
}

Status validateMesh(const RawMesh& mesh, size_t nodes) {
    const std::string quoted = quoteForMessage(mesh.name);
    const size_t vertices = mesh.positions.size();
    if (mesh.node < 0 || size_t(mesh.node) >= nodes)
        return errorf("mesh %s hangs on a node that is not there", quoted.c_str());
    for (size_t v = 0; v < vertices; ++v)
        if (!isFinite(mesh.positions[v]) || length(mesh.positions[v]) > kMaxLength)
            return errorf("mesh %s: the position of vertex %zu is not finite", quoted.c_str(), v);
    if (!mesh.uvs.empty() && mesh.uvs.size() != vertices)
        return errorf("mesh %s has %zu texture coordinates for %zu vertices", quoted.c_str(),
                      mesh.uvs.size(), vertices);
    if (!mesh.colors.empty() && mesh.colors.size() != vertices)
        return errorf("mesh %s has %zu colours for %zu vertices", quoted.c_str(),
                      mesh.colors.size(), vertices);
    for (size_t v = 0; v < mesh.colors.size(); ++v)
        if (!isFinite(mesh.colors[v]))
            return errorf("mesh %s: the colour of vertex %zu is not finite", quoted.c_str(), v);
    for (const Triangle& t : mesh.triangles)
        for (uint32_t v : t)
            if (v >= vertices)
                return errorf("mesh %s: a triangle names vertex %u of %zu", quoted.c_str(), v,
                              vertices);
    for (const RawBone& bone : mesh.bones) {
        const std::string joint = quoteForMessage(bone.name);
        if (bone.name.empty()) return errorf("mesh %s: a joint has no name", quoted.c_str());
        if (bone.node < 0 || size_t(bone.node) >= nodes)
            return errorf("mesh %s: joint %s is not among the file's nodes", quoted.c_str(),
                          joint.c_str());
        if (!isUsable(bone.bone_from_mesh))
            return errorf(
                "mesh %s: the inverse bind matrix of joint %s is not finite or not invertible",
                quoted.c_str(), joint.c_str());
        for (const RawWeight& w : bone.weights) {
            if (w.vertex >= vertices)
                return errorf("mesh %s: joint %s has a weight for vertex %u of %zu", quoted.c_str(),
                              joint.c_str(), w.vertex, vertices);
            if (!std::isfinite(w.weight) || w.weight < -1e-3f || w.weight > 1e3f)
                return errorf(
                    "mesh %s: joint %s has weight %g at vertex %u; weights go from 0 to 1",
                    quoted.c_str(), joint.c_str(), double(w.weight), w.vertex);
        }
    }
    return Done{};
}

template <class T, class Check>
bool keysAreFine(const std::vector<RawKey<T>>& keys, Check isFine) {
    double last = -1e9;
    for (const auto& key : keys) {
        if (!std::isfinite(key.seconds) || key.seconds < last || std::abs(key.seconds) > 1e6)
            return false;
        if (!isFine(key.value)) return false;
        last = key.seconds;
    }
    return true;
}

Status validateAnimation(const RawAnimation& animation, const std::vector<RawNode>& nodes) {
    const std::string quoted = quoteForMessage(animation.name);
    const auto isPlace = [](Vec3 v) { return isFinite(v) && length(v) < kMaxLength; };
    const auto isTurn = [](Quat q) { return dot(q, q) > 1e-6f && dot(q, q) < 1e6f; };
    size_t keys = 0;
    for (const RawChannel& channel : animation.channels) {
        if (channel.node < 0 || size_t(channel.node) >= nodes.size())
            return errorf("animation %s moves a node that is not there", quoted.c_str());
        const bool fine = keysAreFine(channel.positions, isPlace) &&
                          keysAreFine(channel.scales, isPlace) &&
                          keysAreFine(channel.rotations, isTurn);
        const std::string joint = quoteForMessage(nodes[size_t(channel.node)].name);
        if (!fine)
            return errorf("animation %s: a key of joint %s is not finite, or its times do not rise",
                          quoted.c_str(), joint.c_str());
        keys += channel.positions.size() + channel.scales.size() + channel.rotations.size();
    }
    if (keys > kMaxKeys)
        return errorf("animation %s has %zu keys; at most %zu are read", quoted.c_str(), keys,
                      kMaxKeys);
    return Done{};
}

}  // namespace

std::vector<std::byte> pack(const RawScene& scene) {
    Packer packer;
    visit(packer, scene);
    return std::move(packer.bytes);
}

Result<RawScene> unpack(std::span<const std::byte> bytes) {
    RawScene scene;
    Unpacker unpacker{bytes};
    visit(unpacker, scene);
    if (!unpacker.ok || !unpacker.bytes.empty())
        return errorf("the importer's reply is damaged: the file is damaged");
    return scene;
}

Status validate(const RawScene& scene) {
    if (scene.nodes.empty()) return errorf("there is no node in it");
    if (scene.nodes.size() > kMaxNodes)
        return errorf("it has %zu nodes; at most %zu are read", scene.nodes.size(), kMaxNodes);
    for (size_t n = 0; n < scene.nodes.size(); ++n) {
        const RawNode& node = scene.nodes[n];
        const bool is_root = n == 0 && node.parent == -1;
        if (!is_root && (node.parent < 0 || size_t(node.parent) >= n))
            return errorf("node %s does not stand after its parent",
                          quoteForMessage(node.name).c_str());
        if (!isUsable(node.parent_from_node))
            return errorf(
                "node %s has a place, a turn or a scale that is not finite, or a scale of 0",
                quoteForMessage(node.name).c_str());
    }
    for (const RawMesh& mesh : scene.meshes)
        if (Status s = validateMesh(mesh, scene.nodes.size()); !s) return s;
    for (const RawAnimation& animation : scene.animations)
        if (Status s = validateAnimation(animation, scene.nodes); !s) return s;
    return Done{};
}

}  // namespace hem
