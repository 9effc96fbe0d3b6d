// NOTE: src/cluster/worker-pool.ts starts this file by its name.
import { bundle } from "./load-bundle.js";

await bundle.load().runAsWorker();
