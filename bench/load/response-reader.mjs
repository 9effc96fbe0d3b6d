const LINE_BREAK = "\r\n";
const END_OF_HEAD = LINE_BREAK + LINE_BREAK;
/** NOTE: taken for the end of a chunked body. By chance it ends one read in 2^40. */
const LAST_CHUNK = `0${END_OF_HEAD}`;

/**
 * Finds the ends of the responses on one connection, and the little that the benchmark wants to know
 * of them. There is never more than one response under way.
 */
export class ResponseReader {
  status = 0;
  entityTag = "";
  #head = "";
  #isInBody = false;
  /** Bytes of the body that are still to come; undefined when they come in chunks. */
  #missing = 0;
  #tail = "";

  /** Reads on; returns whether the response is complete. */
  read(buffer, length) {
    if (this.#isInBody) return this.#readBody(buffer, 0, length);
    const known = this.#head.length;
    this.#head += buffer.latin1Slice(0, length);
    const endOfHead = this.#head.indexOf(END_OF_HEAD);
    if (endOfHead === -1) return false;
    this.#readHead(this.#head.slice(0, endOfHead));
    this.#head = "";
    return this.#readBody(buffer, endOfHead + END_OF_HEAD.length - known, length);
  }

  #readHead(head) {
    this.#isInBody = true;
    this.#tail = "";
    this.status = Number(head.slice(9, 12));
    this.entityTag = /\r\netag: ([^\r]+)/i.exec(head)?.[1] ?? "";
    const contentLength = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    this.#missing = contentLength === undefined ? undefined : Number(contentLength);
    if (this.status === 304) this.#missing = 0;
  }

  #readBody(buffer, start, end) {
    if (this.#missing === undefined) {
      const tail = buffer.latin1Slice(Math.max(start, end - LAST_CHUNK.length), end);
      this.#tail = (this.#tail + tail).slice(-LAST_CHUNK.length);
    } else this.#missing -= end - start;
    const isComplete = this.#missing === undefined ? this.#tail === LAST_CHUNK : this.#missing <= 0;
    this.#isInBody = !isComplete;
    return isComplete;
  }
}
