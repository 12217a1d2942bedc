// The connection to the server: sends orders, receives news. See `protocol` in the crate.

import { heard } from "./dom.js";

const AGAIN_MS = 1000;
const HEADER_BYTES = 24;

/** Reads the positions at one instant: {world, time, width, poses: Float32Array with 7 numbers per node}. */
function readShot(buffer, offset = 0) {
  const view = new DataView(buffer, offset);
  const n = view.getUint32(4, true);
  return {
    world: view.getUint32(0, true),
    time: view.getFloat64(8, true),
    width: view.getFloat64(16, true),
    poses: new Float32Array(buffer.slice(offset + HEADER_BYTES, offset + HEADER_BYTES + 28 * n)),
    bytes: HEADER_BYTES + 28 * n,
  };
}

export class Link {
  /** `on` has handlers: hello, control, status, log, shot, lost, error. */
  constructor(on) {
    this.on = on;
    this.nextId = 1;
    this.waiting = new Map();
    this.me = null;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/ws`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.take(heard(data));
      else this.on.shot(readShot(data));
    };
    this.socket.onclose = () => {
      for (const wait of this.waiting.values()) wait.reject(new Error("the connection was lost"));
      this.waiting.clear();
      this.on.lost();
      setTimeout(() => this.open(), AGAIN_MS);
    };
  }

  take(message) {
    const wait = this.waiting.get(message.re);
    switch (message.type) {
      case "hello":
        this.me = message.you;
        this.on.hello(message);
        break;
      case "reply":
        wait?.begun?.();
        if (!message.begun) this.settle(message.re, (w) => w.resolve(null));
        break;
      case "outcome":
        this.settle(message.re, (w) => w.resolve(message));
        break;
      case "error":
        if (wait) this.settle(message.re, (w) => w.reject(new Error(message.message)));
        else this.on.error(message.message);
        break;
      default:
        this.on[message.type]?.(message);
    }
  }

  settle(id, how) {
    const wait = this.waiting.get(id);
    this.waiting.delete(id);
    if (wait) how(wait);
  }

  send(body, begun) {
    if (this.socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("not connected to the server"));
    }
    const id = this.nextId++;
    this.socket.send(JSON.stringify({ id, ...body }));
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, begun }));
  }

  /** Resolves when the order has ended: with its outcome if it is a job, else with null. */
  order(order, begun) {
    return this.send({ order }, begun);
  }

  control(control) {
    return this.send({ control });
  }
}

export async function fetchScene() {
  const response = await fetch("/api/scene");
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

export async function fetchHistory() {
  const response = await fetch("/api/history");
  if (!response.ok) throw new Error(await response.text());
  const buffer = await response.arrayBuffer();
  const shots = [];
  for (let offset = 0; offset < buffer.byteLength; ) {
    const shot = readShot(buffer, offset);
    offset += shot.bytes;
    shots.push(shot);
  }
  return shots;
}
