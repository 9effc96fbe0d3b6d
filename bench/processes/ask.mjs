import { once } from "node:events";

/** Sends a message to a child and resolves to its answer; fails when it ends instead. */
export async function ask(child, message) {
  const settled = new AbortController();
  const { signal } = settled;
  const exit = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.join(" ")} ended early with exit code ${code}`);
  });
  child.send(message);
  try {
    const [answer] = await Promise.race([once(child, "message", { signal }), exit]);
    return answer;
  } finally {
    settled.abort();
  }
}
