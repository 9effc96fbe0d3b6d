// NOTE: src/cluster/worker-pool.ts starts this file by its name.
import { loadBundle } from "./load-bundle.js";

await loadBundle().runAsWorker();
