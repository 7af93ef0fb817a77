// SPDX-License-Identifier: Apache-2.0
// Stage: draws the body, one or two cloths and the ground with WebGL2. It knows nothing of time.

const BODY_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in vec4 weights;
uniform highp sampler2D matrices;  // 3 rows of a matrix across, a joint each down
uniform mat4 clipFromWorld;
uniform vec3 eye;
uniform vec4 flatten;  // where w is 1: onto the ground, along xyz
out vec3 world, worldNormal;
out float value;
const float kBehind = 0.008;  // metres: skin shows through cloth only where it is farther out
void main() {
    vec4 r0 = vec4(0), r1 = vec4(0), r2 = vec4(0);
    for (int i = 0; i < 4; ++i) {
        int joint = int(joints[i]);
        r0 += weights[i] * texelFetch(matrices, ivec2(0, joint), 0);
        r1 += weights[i] * texelFetch(matrices, ivec2(1, joint), 0);
        r2 += weights[i] * texelFetch(matrices, ivec2(2, joint), 0);
    }
    vec4 p = vec4(position, 1);
    world = vec3(dot(r0, p), dot(r1, p), dot(r2, p));
    worldNormal = vec3(dot(r0.xyz, normal), dot(r1.xyz, normal), dot(r2.xyz, normal));
    if (flatten.w > 0.5) world = vec3(world.xz - flatten.xz / flatten.y * world.y, 0.0).xzy;
    value = 0.0;
    gl_Position = clipFromWorld * vec4(world, 1);
    vec4 behind = clipFromWorld * vec4(world + kBehind * normalize(world - eye), 1);
    gl_Position.z = behind.z / behind.w * gl_Position.w;
}`;

const CLOTH_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float error;
uniform mat4 clipFromWorld;
uniform vec4 flatten;
out vec3 world, worldNormal;
out float value;
void main() {
    world = position;
    worldNormal = normal;
    if (flatten.w > 0.5) world = vec3(world.xz - flatten.xz / flatten.y * world.y, 0.0).xzy;
    value = error;
    gl_Position = clipFromWorld * vec4(world, 1);
}`;

const SURFACE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 world, worldNormal;
in float value;
uniform highp vec3 eye;
uniform vec3 light, base;
uniform float sheen, opacity, colored, shadow;
uniform sampler2D colors;
out vec4 color;
void main() {
    if (shadow > 0.0) {
        color = vec4(0, 0, 0, shadow);
        return;
    }
    vec3 n = normalize(worldNormal), v = normalize(eye - world);
    bool back = dot(n, v) < 0.0 && !gl_FrontFacing;
    if (!gl_FrontFacing) n = -n;
    vec3 albedo = colored > 0.5 ? pow(texture(colors, vec2(value, 0.5)).rgb, vec3(2.2)) : base;
    if (back) albedo *= 0.62;
    float key = max(0.0, (dot(n, light) + 0.25) / 1.25);
    vec3 sky = mix(vec3(0.30, 0.29, 0.28), vec3(0.62, 0.65, 0.70), 0.5 + 0.5 * n.y);
    float rim = pow(1.0 - abs(dot(n, v)), 3.0);
    vec3 lit = albedo * (sky * 0.62 + key * key * vec3(0.92, 0.88, 0.82));
    lit += sheen * rim * vec3(0.16, 0.17, 0.19);
    if (colored > 0.5) lit = mix(lit, albedo, 0.35);
    color = vec4(pow(lit, vec3(1.0 / 2.2)), opacity);
}`;

const GROUND_VERTEX = `#version 300 es
uniform mat4 clipFromWorld;
uniform vec3 centre;
out vec2 place;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    place = corner * 6.0 + centre.xz;
    gl_Position = clipFromWorld * vec4(place.x, 0.0, place.y, 1);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec2 place;
uniform vec3 centre, paper, ink;
out vec4 color;
void main() {
    vec2 cell = abs(fract(place * 2.0 - 0.5) - 0.5) / fwidth(place * 2.0);
    float line = 1.0 - min(1.0, min(cell.x, cell.y));
    float fade = smoothstep(3.6, 0.6, distance(place, centre.xz));
    color = vec4(mix(paper, ink, line * 0.10 * fade), 1.0);
}`;

class Stage {
    // Throws where the browser has no WebGL2.
    constructor(canvas, data) {
        this.canvas = canvas;
        this.data = data;
        const options = { antialias: true, stencil: true, alpha: false };
        const gl = this.gl = canvas.getContext("webgl2", options);
        if (!gl) throw new Error("This browser offers no WebGL2.");
        this.bodyProgram = this.program(BODY_VERTEX, SURFACE_FRAGMENT);
        this.clothProgram = this.program(CLOTH_VERTEX, SURFACE_FRAGMENT);
        this.groundProgram = this.program(GROUND_VERTEX, GROUND_FRAGMENT);
        this.light = normalize([-0.45, 1, 0.55]);
        this.body = this.makeBody(data.body);
        this.cloths = [this.makeCloth(data), this.makeCloth(data)];
        this.colors = this.makeColors(data.colors);
        this.empty = gl.createVertexArray();
    }

    program(vertex, fragment) {
        const gl = this.gl, program = gl.createProgram();
        for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
            const shader = gl.createShader(kind);
            gl.shaderSource(shader, source);
            gl.compileShader(shader);
            gl.attachShader(program, shader);
        }
        gl.linkProgram(program);
        if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
            throw new Error(gl.getProgramInfoLog(program));
        const uniforms = {};
        for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
            const name = gl.getActiveUniform(program, i).name;
            uniforms[name] = gl.getUniformLocation(program, name);
        }
        return { program, uniforms };
    }

    buffer(target, values, usage = this.gl.STATIC_DRAW) {
        const buffer = this.gl.createBuffer();
        this.gl.bindBuffer(target, buffer);
        this.gl.bufferData(target, values, usage);
        return buffer;
    }

    makeBody(body) {
        const gl = this.gl, quantised = fromBase64(body.positions, Uint16Array);
        const positions = Float32Array.from(quantised,
            (q, i) => body.low[i % 3] + body.size[i % 3] * q / 65535);
        const triangles = fromBase64(body.triangles, Uint32Array);
        const normals = new Float32Array(positions.length);
        vertexNormals(positions, triangles, normals);
        const vao = gl.createVertexArray();
        gl.bindVertexArray(vao);
        this.attribute(0, positions, 3);
        this.attribute(1, normals, 3);
        this.buffer(gl.ARRAY_BUFFER, fromBase64(body.joints, Uint16Array));
        gl.enableVertexAttribArray(2);
        gl.vertexAttribIPointer(2, 4, gl.UNSIGNED_SHORT, 0, 0);
        this.buffer(gl.ARRAY_BUFFER, fromBase64(body.weights, Uint8Array));
        gl.enableVertexAttribArray(3);
        gl.vertexAttribPointer(3, 4, gl.UNSIGNED_BYTE, true, 0, 0);
        this.buffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
        const texture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, texture);
        this.nearest(gl.NEAREST);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, 3, body.jointCount);
        let height = 0;
        for (let i = 1; i < positions.length; i += 3) height = Math.max(height, positions[i]);
        this.height = height;
        return { vao, texture, count: triangles.length, joints: body.jointCount };
    }

    makeCloth(data) {
        const gl = this.gl, vao = gl.createVertexArray(), n = data.vertices;
        const triangles = this.triangles ||= fromBase64(data.triangles, Uint32Array);
        gl.bindVertexArray(vao);
        const usage = gl.DYNAMIC_DRAW;
        const cloth = {
            vao, count: triangles.length, normals: new Float32Array(3 * n),
            positionBuffer: this.attribute(0, new Float32Array(3 * n), 3, usage),
            normalBuffer: this.attribute(1, new Float32Array(3 * n), 3, usage),
            errorBuffer: this.attribute(2, new Float32Array(n), 1, usage),
        };
        this.buffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
        return cloth;
    }

    attribute(location, values, size, usage) {
        const gl = this.gl, buffer = this.buffer(gl.ARRAY_BUFFER, values, usage);
        gl.enableVertexAttribArray(location);
        gl.vertexAttribPointer(location, size, gl.FLOAT, false, 0, 0);
        return buffer;
    }

    nearest(filter) {
        const gl = this.gl;
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    }

    makeColors(stops) {
        const gl = this.gl, texture = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, texture);
        this.nearest(gl.LINEAR);
        const bytes = new Uint8Array(stops.flatMap((rgb) => [...rgb, 255]));
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, stops.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE,
            bytes);
        return texture;
    }

    // `matrices`: 12 floats a joint.
    setBody(matrices) {
        const gl = this.gl;
        gl.bindTexture(gl.TEXTURE_2D, this.body.texture);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3, this.body.joints, gl.RGBA, gl.FLOAT, matrices);
    }

    // `errors`: 0 to 1 along the colours, or null.
    setCloth(which, positions, errors) {
        const gl = this.gl, cloth = this.cloths[which];
        vertexNormals(positions, this.triangles, cloth.normals);
        gl.bindBuffer(gl.ARRAY_BUFFER, cloth.positionBuffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, positions);
        gl.bindBuffer(gl.ARRAY_BUFFER, cloth.normalBuffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, cloth.normals);
        if (!errors) return;
        gl.bindBuffer(gl.ARRAY_BUFFER, cloth.errorBuffer);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, errors);
    }

    resize() {
        const ratio = Math.min(2, window.devicePixelRatio || 1);
        const width = Math.max(1, Math.round(this.canvas.clientWidth * ratio));
        const height = Math.max(1, Math.round(this.canvas.clientHeight * ratio));
        if (this.canvas.width !== width) this.canvas.width = width;
        if (this.canvas.height !== height) this.canvas.height = height;
        this.gl.viewport(0, 0, width, height);
    }

    // `camera`: yaw, pitch, distance, target; `cloths`: [{which, base, colored, ghost}], in order.
    draw(camera, cloths, theme) {
        const gl = this.gl;
        this.resize();
        const aspect = this.canvas.width / this.canvas.height;
        const far = camera.distance * Math.max(1, 0.72 / aspect), flat = Math.cos(camera.pitch);
        const t = camera.target, eye = [t[0] + far * flat * Math.sin(camera.yaw),
            Math.max(0.05, t[1] + far * Math.sin(camera.pitch)),
            t[2] + far * flat * Math.cos(camera.yaw)];
        this.eye = eye;
        this.clip = multiply(perspective(0.5, aspect, 0.1, 60), lookAt(eye, t));
        const p = theme.paper;
        gl.clearColor(p[0], p[1], p[2], 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.LEQUAL);
        this.drawGround(t, theme);
        this.drawShadows(cloths);
        this.drawBody();
        for (const cloth of cloths) this.drawCloth(cloth);
    }

    drawGround(target, theme) {
        const gl = this.gl, { program, uniforms } = this.groundProgram;
        gl.useProgram(program);
        gl.bindVertexArray(this.empty);
        gl.uniformMatrix4fv(uniforms.clipFromWorld, false, this.clip);
        gl.uniform3fv(uniforms.centre, [target[0], 0, target[2]]);
        gl.uniform3fv(uniforms.paper, theme.paper);
        gl.uniform3fv(uniforms.ink, theme.ink);
        gl.depthMask(false);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
        gl.depthMask(true);
    }

    // Onto the ground, along the light; the stencil keeps a place from being darkened twice.
    drawShadows(cloths) {
        const gl = this.gl;
        gl.enable(gl.STENCIL_TEST);
        gl.stencilFunc(gl.EQUAL, 0, 255);
        gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.disable(gl.DEPTH_TEST);
        this.drawBody(0.16);
        for (const cloth of cloths) if (!cloth.ghost) this.drawSurface(this.clothProgram,
            this.cloths[cloth.which], { shadow: 0.16 });
        gl.enable(gl.DEPTH_TEST);
        gl.disable(gl.BLEND);
        gl.disable(gl.STENCIL_TEST);
    }

    drawBody(shadow = 0) {
        const gl = this.gl;
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, this.body.texture);
        gl.activeTexture(gl.TEXTURE0);
        this.drawSurface(this.bodyProgram, this.body, { base: [0.62, 0.55, 0.48], shadow });
    }

    drawCloth({ which, base, colored, ghost }) {
        const gl = this.gl, cloth = this.cloths[which];
        if (!ghost) return this.drawSurface(this.clothProgram, cloth, { base, colored, sheen: 1 });
        // its nearest layer alone, over what is there
        gl.colorMask(false, false, false, false);
        this.drawSurface(this.clothProgram, cloth, { base });
        gl.colorMask(true, true, true, true);
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        this.drawSurface(this.clothProgram, cloth, { base, sheen: 1, opacity: 0.42 });
        gl.disable(gl.BLEND);
    }

    drawSurface({ program, uniforms }, mesh, look) {
        const gl = this.gl, l = this.light;
        gl.useProgram(program);
        gl.bindVertexArray(mesh.vao);
        gl.bindTexture(gl.TEXTURE_2D, this.colors);
        gl.uniform1i(uniforms.colors, 0);
        if (uniforms.matrices) gl.uniform1i(uniforms.matrices, 1);
        gl.uniformMatrix4fv(uniforms.clipFromWorld, false, this.clip);
        gl.uniform4f(uniforms.flatten, l[0], l[1], l[2], look.shadow ? 1 : 0);
        gl.uniform3fv(uniforms.eye, this.eye);
        gl.uniform3fv(uniforms.light, l);
        gl.uniform3fv(uniforms.base, look.base || [0, 0, 0]);
        gl.uniform1f(uniforms.sheen, look.sheen || 0);
        gl.uniform1f(uniforms.opacity, look.opacity || 1);
        gl.uniform1f(uniforms.colored, look.colored ? 1 : 0);
        gl.uniform1f(uniforms.shadow, look.shadow || 0);
        gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
    }
}
