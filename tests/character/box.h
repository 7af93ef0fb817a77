// SPDX-License-Identifier: Apache-2.0
// The box: a body of two bones that the import tests know by hand, as glTF and as FBX.
//
// 0.2 by 1.6 by 0.2 m, twelve vertices in three rings at y = 0, 0.8 and 1.6, closed, twenty
// triangles. Joint Lower at the origin, its child Upper at (0, 0.8, 0); the rings follow Lower,
// both by halves, and Upper. The animation Bend turns Upper by 90 degrees about x in one second.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "hem/character/character.h"
#include "hem/core/text.h"

namespace hem {

// Little-endian: at 0 the positions, 12 times 3 floats, rings from below, each from (-, +) in (x,
// z) over (+, +) and (+, -) to (-, -); 144 joints, 12 times the bytes 0 1 0 0; 192 weights, 12
// times 4 floats; 384 triangles, 60 shorts; 504 inverse bind matrices, 2 times 16 floats; 632 times
// 0 and 1, floats; 640 rotations, 2 times 4 floats.
inline const std::string kBoxBuffer =
    "zczMvQAAAADNzMw9zczMPQAAAADNzMw9zczMPQAAAADNzMy9zczMvQAAAADNzMy9zczMvc3MTD/NzMw9zczMPc3M"
    "TD/NzMw9zczMPc3MTD/NzMy9zczMvc3MTD/NzMy9zczMvc3MzD/NzMw9zczMPc3MzD/NzMw9zczMPc3MzD/NzMy9"
    "zczMvc3MzD/NzMy9AAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAAEAAAABAAAAAQAAAACAPwAA"
    "AAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAD8AAAA/"
    "AAAAAAAAAAAAAAA/AAAAPwAAAAAAAAAAAAAAPwAAAD8AAAAAAAAAAAAAAD8AAAA/AAAAAAAAAAAAAAAAAACAPwAA"
    "AAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAABAAUAAAAFAAQA"
    "AQACAAYAAQAGAAUAAgADAAcAAgAHAAYAAwAAAAQAAwAEAAcABAAFAAkABAAJAAgABQAGAAoABQAKAAkABgAHAAsA"
    "BgALAAoABwAEAAgABwAIAAsAAwACAAEAAwABAAAACAAJAAoACAAKAAsAAACAPwAAAAAAAAAAAAAAAAAAAAAAAIA/"
    "AAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAAgD8AAAAAAAAAAAAAAAAAAAAAAACAPwAA"
    "AAAAAAAAAAAAAAAAAAAAAIA/AAAAAAAAAADNzEy/AAAAAAAAgD8AAAAAAACAPwAAAAAAAAAAAAAAAAAAgD/zBDU/"
    "AAAAAAAAAADzBDU/";

inline nlohmann::json boxAsGltf() {
    return nlohmann::json::parse(R"({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 2]}],
        "nodes": [
            {"name": "Lower", "children": [1]},
            {"name": "Upper", "translation": [0, 0.8, 0]},
            {"name": "Box", "mesh": 0, "skin": 0}],
        "meshes": [{"name": "Box", "primitives": [{
            "attributes": {"POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2}, "indices": 3}]}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 4}],
        "animations": [{"name": "Bend",
            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}],
            "samplers": [{"input": 5, "output": 6, "interpolation": "LINEAR"}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 12, "type": "VEC3",
             "min": [-0.1, 0, -0.1], "max": [0.1, 1.6, 0.1]},
            {"bufferView": 1, "componentType": 5121, "count": 12, "type": "VEC4"},
            {"bufferView": 2, "componentType": 5126, "count": 12, "type": "VEC4"},
            {"bufferView": 3, "componentType": 5123, "count": 60, "type": "SCALAR"},
            {"bufferView": 4, "componentType": 5126, "count": 2, "type": "MAT4"},
            {"bufferView": 5, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]},
            {"bufferView": 6, "componentType": 5126, "count": 2, "type": "VEC4"}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 144},
            {"buffer": 0, "byteOffset": 144, "byteLength": 48},
            {"buffer": 0, "byteOffset": 192, "byteLength": 192},
            {"buffer": 0, "byteOffset": 384, "byteLength": 120},
            {"buffer": 0, "byteOffset": 504, "byteLength": 128},
            {"buffer": 0, "byteOffset": 632, "byteLength": 8},
            {"buffer": 0, "byteOffset": 640, "byteLength": 32}],
        "buffers": [{"byteLength": 672}]})");
}

// With the buffer as a data URI.
inline std::string boxAsGltfText(nlohmann::json json = boxAsGltf()) {
    json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + kBoxBuffer;
    return json.dump();
}

// ASCII FBX 7.4 with Z up: the box's y is the file's z, and its z the file's -y. Lengths are in
// units of `unit` centimetres.
inline std::string boxAsFbx(double unit = 1) {
    std::string positions, quads;
    for (double z : {0.0, 80.0, 160.0})
        for (const auto& [x, y] :
             {std::pair{-10.0, -10.0}, {10.0, -10.0}, {10.0, 10.0}, {-10.0, 10.0}})
            positions +=
                format("%s%g,%g,%g", positions.empty() ? "" : ",", x / unit, y / unit, z / unit);
    // the last corner of a polygon is written as its complement
    for (int ring : {0, 4})
        for (int k = 0; k < 4; ++k) {
            const int a = ring + k, b = ring + (k + 1) % 4;
            quads += format("%d,%d,%d,%d,", a, b, b + 4, ~(a + 4));
        }
    quads += "3,2,1,-1,8,9,10,-12";
    const std::string height = format("%g", 80 / unit);
    return R"(; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",2
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",1
		P: "FrontAxisSign", "int", "Integer", "",-1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",)" +
           format("%g", unit) + R"(
	}
}
Objects:  {
	Geometry: 100, "Geometry::Box", "Mesh" {
		Vertices: *36 {
			a: )" +
           positions + R"(
		}
		PolygonVertexIndex: *40 {
			a: )" +
           quads + R"(
		}
		GeometryVersion: 124
	}
	Model: 200, "Model::Box", "Mesh" {
		Version: 232
		Properties70:  {
		}
	}
	Model: 300, "Model::Lower", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,0,0
		}
	}
	Model: 301, "Model::Upper", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,0,)" +
           height + R"(
		}
	}
	Deformer: 400, "Deformer::Skin", "Skin" {
		Version: 101
		Link_DeformAcuracy: 50
	}
	Deformer: 401, "SubDeformer::Lower", "Cluster" {
		Version: 100
		UserData: "", ""
		Indexes: *8 {
			a: 0,1,2,3,4,5,6,7
		}
		Weights: *8 {
			a: 1,1,1,1,0.5,0.5,0.5,0.5
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1
		}
	}
	Deformer: 402, "SubDeformer::Upper", "Cluster" {
		Version: 100
		UserData: "", ""
		Indexes: *8 {
			a: 4,5,6,7,8,9,10,11
		}
		Weights: *8 {
			a: 0.5,0.5,0.5,0.5,1,1,1,1
		}
		Transform: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,-)" +
           height + R"(,1
		}
		TransformLink: *16 {
			a: 1,0,0,0,0,1,0,0,0,0,1,0,0,0,)" +
           height + R"(,1
		}
	}
	AnimationStack: 500, "AnimStack::Bend", "" {
		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",46186158000
			P: "ReferenceStop", "KTime", "Time", "",46186158000
		}
	}
	AnimationLayer: 501, "AnimLayer::Base", "" {
	}
	AnimationCurveNode: 502, "AnimCurveNode::R", "" {
		Properties70:  {
			P: "d|X", "Number", "", "A",0
			P: "d|Y", "Number", "", "A",0
			P: "d|Z", "Number", "", "A",0
		}
	}
	AnimationCurve: 503, "AnimCurve::", "" {
		Default: 0
		KeyVer: 4008
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,90
		}
		KeyAttrFlags: *1 {
			a: 24836
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,0,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	C: "OO",200,0
	C: "OO",300,0
	C: "OO",301,300
	C: "OO",100,200
	C: "OO",400,100
	C: "OO",401,400
	C: "OO",402,400
	C: "OO",300,401
	C: "OO",301,402
	C: "OO",501,500
	C: "OO",502,501
	C: "OP",502,301, "Lcl Rotation"
	C: "OP",503,502, "d|X"
}
)";
}

inline bool near(Vec3 a, Vec3 b, float tolerance = 2e-6f) { return distance(a, b) <= tolerance; }

// What both files must come to, worked out by hand.
inline void expectTheBox(const Character& c) {
    ASSERT_TRUE(validate(c));
    ASSERT_EQ(c.skeleton.size(), 2u);
    EXPECT_EQ(c.skeleton.joints[0].name, "Lower");
    EXPECT_EQ(c.skeleton.joints[1].name, "Upper");
    EXPECT_EQ(c.skeleton.joints[1].parent, 0);
    const auto rest = worldFromJoints(c.skeleton, restPose(c.skeleton));
    EXPECT_TRUE(near(rest[0].translation(), {0, 0, 0}));
    EXPECT_TRUE(near(rest[1].translation(), {0, 0.8f, 0}));
    ASSERT_EQ(c.mesh.positions.size(), 12u);
    EXPECT_EQ(c.mesh.triangles.size(), 20u);
    EXPECT_TRUE(topologyOf(c.mesh).watertight());
    EXPECT_NEAR(signedVolume(c.mesh), 0.2 * 0.2 * 1.6, 1e-6);
    ASSERT_EQ(c.motions.size(), 1u);
    EXPECT_EQ(c.motions[0].name, "Bend");
    ASSERT_EQ(c.motions[0].frames.size(), 31u);
    const auto bent = posedVertices(c, c.motions[0].frames[30]);
    for (size_t v = 0; v < 12; ++v) {
        const Vec3 p = c.mesh.positions[v];
        // Upper takes (x, 0.8 + h, z) to (x, 0.8 - z, h)
        const Vec3 turned{p.x, 0.8f - p.z, p.y - 0.8f};
        const Vec3 expected = p.y < 0.4f ? p : p.y > 1.2f ? turned : (p + turned) / 2;
        EXPECT_TRUE(near(bent[v], expected))
            << v << format(": %g %g %g", bent[v].x, bent[v].y, bent[v].z);
    }
    const auto& halfway = c.motions[0].frames[15].rotations[1];
    const auto& rest_turn = c.skeleton.joints[1].parent_from_rest.rotation;
    EXPECT_NEAR(angleBetween(rest_turn, halfway), kPi / 4, 1e-5);
}

}  // namespace hem
