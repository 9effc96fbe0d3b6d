import { ask } from "../processes/ask.mjs";
import { startScript, stop } from "../processes/children.mjs";

/** The yardstick: no HTTP server on Node can be much faster than one that does nothing else. */
export async function startBare() {
  const child = startScript(new URL("bare-server.mjs", import.meta.url));
  const port = await ask(child, { status: 503, headers: {}, body: "" });
  return {
    child,
    port,
    path: "/",
    headers: { authorization: "bench-key" },
    /** What it answers to whatever it is asked. */
    answerWith: (answer) => ask(child, answer),
    stop: () => stop(child),
  };
}
