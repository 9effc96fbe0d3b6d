import { availableParallelism } from "node:os";
import { createIntegerKind, InvalidValue, type SettingKind } from "flags-server-kit/settings";

const MAX_WORKERS = 256;

const workerCountKind = createIntegerKind({ min: 1, max: MAX_WORKERS });
const allowedWorkers = `auto, or ${workerCountKind.allowed}`;

/** A number of processes; `auto` is one per available core. */
export const workersKind: SettingKind<number> = {
  allowed: allowedWorkers,
  allowedText: allowedWorkers,
  fromText: (text) =>
    text.toLowerCase() === "auto"
      ? Math.min(availableParallelism(), MAX_WORKERS)
      : workerCountKind.fromText(text),
  fromValue: () => new InvalidValue(),
};
