import { availableParallelism } from "node:os";
import { createIntegerKind, InvalidValue, type Kind } from "flags-server-kit";

const MAX_WORKERS = 256;

const numberKind = createIntegerKind({ min: 1, max: MAX_WORKERS });
const allowed = `auto, or ${numberKind.allowed}`;

/** A number of processes; `auto` is as many as can run at once. */
export const workersKind: Kind<number> = {
  allowed,
  allowedText: allowed,
  fromText: (text) =>
    text.toLowerCase() === "auto"
      ? Math.min(availableParallelism(), MAX_WORKERS)
      : numberKind.fromText(text),
  fromValue: () => new InvalidValue(),
};
