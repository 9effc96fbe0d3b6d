// NOTE: started by src/cluster/worker-pool.ts, by the name of this file.
import { loadBundle } from "./load-bundle.js";

await loadBundle().runAsWorker();
