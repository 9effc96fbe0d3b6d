import { connect } from "node:net";

const LINE_BREAK = "\r\n";
const END_OF_HEAD = LINE_BREAK + LINE_BREAK;
/** NOTE: assumed to end a chunked body. One read in 2^40 ends with it by chance. */
const LAST_CHUNK = `0${END_OF_HEAD}`;

/** Reading is synchronous, so all connections can read into the same memory. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/**
 * Opens a keep-alive connection over a raw socket, for one request at a time. It finds the end of each
 * response and otherwise skips the body, so that the load generator costs less than the server.
 */
export function openConnection(port) {
  const reader = new ResponseReader();
  let current;
  const callback = (length) => {
    if (reader.read(buffer, length)) current.onResponse(reader);
    return true;
  };
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback } });
  socket.on("error", (error) => current?.onError(error));
  socket.on("close", () => current?.onError(new Error("The server closed the connection")));

  /** Sends the text of a request. The response is valid only during the callback. */
  const send = (text, callbacks) => {
    current = callbacks;
    socket.write(text, "latin1");
  };
  /** Sends the text of a request and resolves to `status` and `entityTag` of the response. */
  const request = (text) =>
    new Promise((resolve, reject) => {
      const received = ({ status, entityTag }) => resolve({ status, entityTag });
      send(text, { onResponse: received, onError: reject });
    });
  const close = () => {
    current = undefined;
    socket.destroy();
  };
  return { send, request, close };
}

/** Finds the ends of consecutive responses. */
class ResponseReader {
  status = 0;
  #head = "";
  #unfinishedHead = "";
  #isInBody = false;
  /** Bytes of the body that have not arrived yet; undefined for a chunked body. */
  #missing = 0;
  #tail = "";

  get entityTag() {
    return /\r\netag: ([^\r]+)/i.exec(this.#head)?.[1] ?? "";
  }

  /** Reads the next bytes and returns whether the response is complete. */
  read(bytes, length) {
    if (this.#isInBody) return this.#readBody(bytes, 0, length);
    const known = this.#unfinishedHead.length;
    const text = this.#unfinishedHead + bytes.latin1Slice(0, length);
    const endOfHead = text.indexOf(END_OF_HEAD);
    this.#unfinishedHead = endOfHead === -1 ? text : "";
    if (endOfHead === -1) return false;
    this.#readHead(text.slice(0, endOfHead));
    return this.#readBody(bytes, endOfHead + END_OF_HEAD.length - known, length);
  }

  #readHead(head) {
    this.#head = head;
    this.#isInBody = true;
    this.#tail = "";
    this.status = Number(head.slice(9, 12));
    const contentLength = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.#missing = contentLength === undefined ? undefined : Number(contentLength);
    if (this.status === 304) this.#missing = 0;
  }

  #readBody(bytes, start, end) {
    if (this.#missing === undefined) {
      const tail = bytes.latin1Slice(Math.max(start, end - LAST_CHUNK.length), end);
      this.#tail = (this.#tail + tail).slice(-LAST_CHUNK.length);
    } else this.#missing -= end - start;
    const isComplete = this.#missing === undefined ? this.#tail === LAST_CHUNK : this.#missing <= 0;
    this.#isInBody = !isComplete;
    return isComplete;
  }
}
