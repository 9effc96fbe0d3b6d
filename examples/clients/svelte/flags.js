import { readable } from "svelte/store";
import { UnleashClient } from "unleash-proxy-client";

export const client = new UnleashClient({
  url: "http://127.0.0.1:3000/proxy",
  clientKey: "demo-web-key",
  appName: "web",
  context: { userId: "7" },
});

/** A store that follows the flags: `watch(() => client.isEnabled("new-header"))`. */
export function watch(read) {
  return readable(undefined, (set) => {
    const update = () => set(read());
    update();
    client.on("ready", update);
    client.on("update", update);
    return () => {
      client.off("ready", update);
      client.off("update", update);
    };
  });
}
