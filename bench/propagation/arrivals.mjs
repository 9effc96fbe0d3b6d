import { momentMs } from "./moment.mjs";

/**
 * Talks to the parent of a script that stands for many clients. `arm` makes it forget what it saw;
 * `collect` is answered, once every client has seen a change since, with the moments of that.
 */
export function reportArrivals(clientCount) {
  const arrivals = new Map();
  let isWanted = false;
  const answer = () => {
    if (!isWanted || arrivals.size < clientCount) return;
    isWanted = false;
    process.send([...arrivals.values()]);
  };
  process.on("message", (message) => {
    if (message === "arm") {
      arrivals.clear();
      process.send("armed");
    } else {
      isWanted = true;
      answer();
    }
  });
  process.on("disconnect", () => process.exit());
  return {
    note(client) {
      if (!arrivals.has(client)) arrivals.set(client, momentMs());
      answer();
    },
  };
}
