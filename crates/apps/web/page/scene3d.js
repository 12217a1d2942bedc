// The 3D view of the scene. The build of the crate bundles it with three.js; all other parts of
// the page need no library.

import {
  AmbientLight, BufferAttribute, BufferGeometry, CanvasTexture, Color, DirectionalLight,
  GridHelper, Group, HemisphereLight, Mesh, MeshStandardMaterial, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Plane,
  PlaneGeometry, Raycaster, RepeatWrapping, Scene, SRGBColorSpace, ShadowMaterial, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

/** Time per picture above which the quality is reduced, ms: 25 pictures per second. */
const SLOW_MS = 40;
/** Time without a change after which the view is drawn at full quality, ms; longer for slow pictures. */
const REST_MS = 300;
/** Time between two pictures above which nothing had to be drawn in between, ms. */
const PAUSE_MS = 1000;
/** Levels of quality: fraction of the screen's resolution, and number of pictures per update of the shadows. */
const LEVELS = [
  { scale: 1, shadowEvery: 1 },
  { scale: 1, shadowEvery: 2 },
  { scale: 0.75, shadowEvery: 4 },
  { scale: 0.5, shadowEvery: 8 },
  { scale: 0.4, shadowEvery: 16 },
];
/** Deviation of meshes: less than a pixel half a metre away, and about a pixel if the whole arm is in view. */
const FINE_MM = 0.5;
const COARSE_MM = 3;

/** Distance of the pointer from which a press is a drag, pixels. */
const DRAG_PX = 5;

export class Scene3d {
  /** `on.mayMove()` returns true if objects may be dragged; `on.move(name, [x, y])` is called after a drag. */
  constructor(canvas, on) {
    this.canvas = canvas;
    this.on = on;
    this.nodes = [];
    this.geometries = new Map();
    this.drawn = 0;
    // Without a graphics card, pixels and triangles take much time.
    this.level = isSoftware() ? 1 : 0;
    this.offMm = this.level === 0 ? FINE_MM : COARSE_MM;
    this.renderer = new WebGLRenderer({ canvas, antialias: this.level === 0, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.toneMapping = NeutralToneMapping;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.02, 30);
    this.camera.up.set(0, 0, 1);
    this.camera.position.set(1.3, -1.3, 1.0);
    this.orbit = new OrbitControls(this.camera, canvas);
    this.orbit.target.set(0.12, 0, 0.26);
    this.orbit.maxPolarAngle = Math.PI / 2 - 0.02;
    this.orbit.minDistance = 0.25;
    this.orbit.maxDistance = 6;
    this.orbit.listenToKeyEvents(canvas);
    this.orbit.keyPanSpeed = 20;
    this.orbit.addEventListener("change", () => this.draw());
    this.orbit.update();
    this.light();
    this.ground(0);
    this.theme = matchMedia("(prefers-color-scheme: dark)");
    this.theme.addEventListener("change", () => this.dress());
    this.dress();
    const refit = () => {
      this.fit(LEVELS[this.level].scale);
      this.draw();
    };
    new ResizeObserver(refit).observe(canvas.parentElement);
    refit();
    this.drags();
  }

  light() {
    this.sky = new HemisphereLight(0xffffff, 0x9aa4b0, 1.5);
    this.sky.position.set(0, 0, 1);
    const sun = new DirectionalLight(0xffffff, 2.6);
    sun.position.set(1.2, -0.9, 2.6);
    sun.target.position.set(0.25, 0, 0);
    sun.castShadow = true;
    sun.shadow.mapSize.setScalar(this.level === 0 ? 2048 : 512);
    sun.shadow.autoUpdate = false;
    this.sun = sun;
    Object.assign(sun.shadow.camera, { left: -1.3, right: 1.3, top: 1.3, bottom: -1.3, near: 0.5, far: 6 });
    sun.shadow.bias = -0.0006;
    sun.shadow.normalBias = 0.006;
    this.scene.add(this.sky, sun, sun.target, new AmbientLight(0xffffff, 0.25));
  }

  ground(z) {
    this.floor?.removeFromParent();
    this.floor = new Group();
    const shade = new Mesh(new PlaneGeometry(8, 8), new ShadowMaterial({ opacity: 0.22 }));
    shade.receiveShadow = true;
    this.grid = new GridHelper(8, 32, 0xffffff, 0xffffff);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.z = -0.002;
    this.grid.material.transparent = true;
    this.floor.add(shade, this.grid);
    this.floor.position.z = z;
    this.scene.add(this.floor);
  }

  /** Sets background and grid by the system's light or dark theme. */
  dress() {
    const dark = this.theme.matches;
    this.scene.background = new Color(dark ? 0x222a33 : 0xe4e8ed);
    this.grid.material.color.set(dark ? 0x55606c : 0xa9b2bc);
    this.grid.material.opacity = 0.45;
    this.sky.intensity = dark ? 1.1 : 1.5;
    this.draw();
  }

  /** Resizes to the page's box, at a fraction of the screen's resolution. */
  fit(scale) {
    this.isFine = false;
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2) * scale);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  async load({ nodes, floor_z: floorZ }) {
    const hashes = new Set(nodes.flatMap((node) => node.parts.map((part) => part.mesh)));
    const missing = [...hashes].filter((hash) => !this.geometries.has(hash));
    const fetched = await Promise.all(missing.map(async (hash) => [hash, await fetchMesh(hash, this.offMm)]));
    for (const [hash, geometry] of fetched) this.geometries.set(hash, geometry);
    for (const { group } of this.nodes) group.removeFromParent();
    for (const [hash, geometry] of this.geometries) {
      if (!hashes.has(hash)) {
        geometry.dispose();
        this.geometries.delete(hash);
      }
    }
    this.nodes = nodes.map((node) => {
      const group = new Group();
      group.visible = false;
      for (const part of node.parts) group.add(this.surface(part, node));
      group.userData = { name: node.name, movable: node.movable };
      this.scene.add(group);
      return { group };
    });
    this.ground(floorZ ?? 0);
    this.dress();
  }

  surface({ mesh, rgb, gloss, wood }, { category }) {
    const material = new MeshStandardMaterial({ roughness: 0.95 - 0.7 * gloss, metalness: 0.02 });
    material.color.setRGB(...rgb, SRGBColorSpace);
    if (wood) grain(material);
    const surface = new Mesh(this.geometries.get(mesh), material);
    // The shadow of a table on itself would only flicker.
    surface.castShadow = category !== "table";
    surface.receiveShadow = true;
    return surface;
  }

  show({ poses }) {
    if (poses.length !== this.nodes.length * 7) return;
    this.nodes.forEach(({ group }, i) => {
      const at = 7 * i;
      group.visible = Number.isFinite(poses[at]);
      if (!group.visible || group === this.ghost?.group) return;
      group.position.set(poses[at], poses[at + 1], poses[at + 2]);
      group.quaternion.set(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
    });
    this.last = poses;
    this.draw();
  }

  /** Draws the next frame of the screen; several calls before it draw once. */
  draw() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame((now) => {
      this.waits = false;
      if (this.isFine) this.fit(LEVELS[this.level].scale);
      this.adapt(now);
      this.sun.shadow.needsUpdate = this.drawn % LEVELS[this.level].shadowEvery === 0;
      this.renderer.render(this.scene, this.camera);
      this.drawn += 1;
      clearTimeout(this.rest);
      if (this.level > 0) this.rest = setTimeout(() => this.refine(), Math.max(REST_MS, 4 * this.took));
    });
  }

  /** Draws a view at rest at full quality. */
  refine() {
    this.fit(1);
    this.isFine = true;
    this.sun.shadow.needsUpdate = true;
    this.renderer.render(this.scene, this.camera);
  }

  /** Reduces the quality if pictures take too long, so that motion stays smooth. */
  adapt(now) {
    const took = now - (this.lastDrawn ?? now);
    this.lastDrawn = now;
    if (took > PAUSE_MS) return;
    this.took = 0.9 * (this.took ?? 16) + 0.1 * took;
    if (this.took < SLOW_MS || this.level === LEVELS.length - 1) return;
    this.level += 1;
    this.took = 16;
    this.fit(LEVELS[this.level].scale);
  }

  pick(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
    const ray = new Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  under(event) {
    const groups = this.nodes.map(({ group }) => group).filter((group) => group.visible);
    const hit = this.pick(event).intersectObjects(groups, true)[0];
    const group = hit?.object.parent;
    return group?.userData.movable ? { group, point: hit.point } : null;
  }

  /** Lets objects follow the pointer in the horizontal plane through the point where they were grabbed. */
  drags() {
    this.canvas.addEventListener("pointerdown", (event) => {
      const hit = event.button === 0 && this.on.mayMove() ? this.under(event) : null;
      if (!hit) return;
      const plane = new Plane(new Vector3(0, 0, 1), -hit.point.z);
      const offset = hit.group.position.clone().sub(hit.point);
      this.ghost = { ...hit, plane, offset, x: event.clientX, y: event.clientY, moved: false };
      this.orbit.enabled = false;
      this.canvas.setPointerCapture(event.pointerId);
      event.stopImmediatePropagation();
    }, { capture: true });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!this.ghost) {
        if (event.buttons === 0) this.canvas.style.cursor = this.on.mayMove() && this.under(event) ? "grab" : "";
        return;
      }
      const { group, plane, offset, x, y } = this.ghost;
      if (Math.hypot(event.clientX - x, event.clientY - y) > DRAG_PX) this.ghost.moved = true;
      const point = this.pick(event).ray.intersectPlane(plane, new Vector3());
      if (!point || !this.ghost.moved) return;
      group.position.x = point.x + offset.x;
      group.position.y = point.y + offset.y;
      this.draw();
    });
    const release = (isDrop) => {
      if (!this.ghost) return;
      const { group, moved } = this.ghost;
      this.ghost = null;
      this.orbit.enabled = true;
      if (moved && isDrop) this.on.move(group.userData.name, [group.position.x, group.position.y]);
      else if (this.last) this.show({ poses: this.last });
    };
    this.canvas.addEventListener("pointerup", () => release(true));
    this.canvas.addEventListener("pointercancel", () => release(false));
  }
}

function isSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const about = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = about ? gl.getParameter(about.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

async function fetchMesh(hash, offMm) {
  const response = await fetch(`/api/mesh/${hash}?off_mm=${offMm}`);
  if (!response.ok) throw new Error(await response.text());
  const buffer = await response.arrayBuffer();
  const [corners, triangles] = new Uint32Array(buffer, 0, 2);
  const geometry = new BufferGeometry();
  const floats = (start) => new BufferAttribute(new Float32Array(buffer, start, 3 * corners), 3);
  geometry.setAttribute("position", floats(8));
  geometry.setAttribute("normal", floats(8 + 12 * corners));
  geometry.setIndex(new BufferAttribute(new Uint32Array(buffer, 8 + 24 * corners, 3 * triangles), 1));
  return geometry;
}

/** Adds wood grain: slightly darker stripes along y of the object's frame. */
function grain(material) {
  const size = 256;
  const canvas = Object.assign(document.createElement("canvas"), { width: size, height: 4 });
  const context = canvas.getContext("2d");
  for (let x = 0; x < size; x++) {
    const wave = Math.sin(x * 0.19) + 0.6 * Math.sin(x * 0.47 + 1) + 0.4 * Math.sin(x * 1.31 + 2);
    const level = Math.round(238 + 7 * wave);
    context.fillStyle = `rgb(${level},${level - 4},${level - 10})`;
    context.fillRect(x, 0, 1, 4);
  }
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.grain = { value: texture };
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvPlace = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vPlace;\nuniform sampler2D grain;")
      .replace("#include <color_fragment>",
        "#include <color_fragment>\ndiffuseColor.rgb *= texture2D(grain, vec2(vPlace.x * 3.0, 0.5)).rgb;");
  };
}
