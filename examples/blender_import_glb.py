# SPDX-License-Identifier: Apache-2.0
"""A garment of `hemline export --gltf` in Blender, with what its importer leaves undone.

    blender --python examples/blender_import_glb.py -- dress.glb

Latent weights go below 0 and above 1, where Blender's shape keys stop unless they are told otherwise.
"""
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):
    numpy.bool = bool  # Blender 3.4's importer on Debian 12, whose NumPy has dropped the name

path = sys.argv[sys.argv.index("--") + 1]
bpy.context.scene.render.fps = 30  # keys fall on whole frames, of files at 30 Hz
there = set(bpy.data.objects)
bpy.ops.import_scene.gltf(filepath=path)
for thing in set(bpy.data.objects) - there:
    if thing.type == "MESH" and thing.data.shape_keys:
        for key in thing.data.shape_keys.key_blocks:
            key.slider_min, key.slider_max = -10, 10
        print(f"{thing.name}: {len(thing.data.shape_keys.key_blocks) - 1} modes as shape keys")
