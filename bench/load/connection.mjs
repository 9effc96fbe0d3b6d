import { connect } from "node:net";
import { ResponseReader } from "./response-reader.mjs";

/** Reading is synchronous, so all connections can read into the same memory. */
const buffer = Buffer.allocUnsafe(256 * 1024);

/** Opens a keep-alive connection that asks one question at a time. */
export function openConnection(port) {
  const reader = new ResponseReader();
  let settle = { resolve() {}, reject() {} };
  const callback = (length) => {
    if (reader.read(buffer, length)) settle.resolve(reader);
    return true;
  };
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, onread: { buffer, callback } });
  socket.on("error", (error) => settle.reject(error));
  socket.on("close", () => settle.reject(new Error("The server hung up")));

  /** Calls back with the response to each request, until there is no next one. */
  const run = (nextRequest, onResponse) =>
    new Promise((resolve, reject) => {
      const ask = () => {
        const request = nextRequest();
        if (request === undefined) resolve();
        else socket.write(request, "latin1");
      };
      settle = {
        reject,
        resolve(response) {
          onResponse(response);
          ask();
        },
      };
      ask();
    });
  return { run, close: () => socket.destroy() };
}
