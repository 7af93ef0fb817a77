// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/blender/blender.h"

namespace hem::blender {

const std::string_view kScript = R"python(# SPDX-License-Identifier: Apache-2.0
# Run by Blender: the body and the garment of a job folder, frame by frame.
#   blender -b --factory-startup --python-exit-code 3 -P script.py -- FOLDER
import array
import json
import os
import shutil
import sys

import bpy


def read_array(folder, name, kind):
    with open(os.path.join(folder, name), "rb") as file:
        return array.array(kind, file.read())


def add_mesh(folder, name):
    """An object of the point cache NAME.pc2's first sample, driven by the cache from frame 1 on."""
    with open(os.path.join(folder, name + ".pc2"), "rb") as file:
        vertices = array.array("i", file.read(20)[16:])[0]
        file.seek(32)
        points = array.array("f", file.read(12 * vertices))
    corners = read_array(folder, name + "_triangles", "i")
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([points[i:i + 3] for i in range(0, len(points), 3)], [],
                     [corners[i:i + 3] for i in range(0, len(corners), 3)])
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = os.path.join(folder, name + ".pc2")
    cache.interpolation = "NONE"
    cache.time_mode = "FRAME"
    cache.play_mode = "SCENE"
    cache.frame_start = 1
    return thing


def add_body(folder, job):
    body = add_mesh(folder, "body")
    body.modifiers.new("collision", "COLLISION")
    body.collision.thickness_outer = job["thickness_outer"]
    body.collision.cloth_friction = job["friction"]
    body.collision.damping = 0
    body.collision.use_culling = True


def add_pins(folder, cloth):
    weights = read_array(folder, "pins", "f")
    group = cloth.vertex_groups.new(name="pins")
    for vertex, weight in enumerate(weights):
        if weight > 0:
            group.add([vertex], weight, "REPLACE")
    return group.name


def add_cloth(folder, job):
    thing = add_mesh(folder, "cloth")
    modifier = thing.modifiers.new("cloth", "CLOTH")
    cloth, contact, cache = modifier.settings, modifier.collision_settings, modifier.point_cache
    cloth.bending_model = "ANGULAR"
    cloth.quality = job["quality"]
    cloth.time_scale = job["time_scale"]
    cloth.mass = job["mass"]
    cloth.air_damping = job["air_damping"]
    cloth.tension_stiffness = cloth.compression_stiffness = job["tension_stiffness"]
    cloth.tension_damping = cloth.compression_damping = job["tension_damping"]
    cloth.bending_stiffness = job["bending_stiffness"]
    cloth.bending_damping = job["bending_damping"]
    cloth.vertex_group_mass = add_pins(folder, thing)
    cloth.pin_stiffness = job["pin_stiffness"]
    contact.use_collision = True
    contact.collision_quality = job["collision_quality"]
    contact.distance_min = job["distance_min"]
    contact.use_self_collision = True
    contact.self_distance_min = job["self_distance_min"]
    contact.self_friction = job["self_friction"]
    cache.frame_start = 1
    cache.frame_end = job["frames"]
    cache.use_disk_cache = True


def build(folder, job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    # The disk cache has its place beside the saved file.
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(folder, "job.blend"))
    scene = bpy.context.scene
    scene.gravity = job["gravity"]
    scene.frame_start, scene.frame_end = 1, job["frames"]
    add_body(folder, job)
    add_cloth(folder, job)
    bpy.ops.wm.save_mainfile()


def main():
    folder = sys.argv[sys.argv.index("--") + 1]
    with open(os.path.join(folder, "job.json")) as file:
        job = json.load(file)
    build(folder, job)
    # A file that was just opened takes frame 2 from the cache; one that was edited throws it away.
    caches = os.path.join(folder, "blendcache_job")
    os.makedirs(caches, exist_ok=True)
    shutil.copy(os.path.join(folder, "state.bphys"),
                os.path.join(caches, "%s_000002_00.bphys" % b"cloth".hex().upper()))
    bpy.ops.wm.open_mainfile(filepath=os.path.join(folder, "job.blend"))
    for frame in range(1, job["frames"] + 1):
        bpy.context.scene.frame_set(frame)
        print("hem: frame", frame, flush=True)


main()
)python";

}  // namespace hem::blender
