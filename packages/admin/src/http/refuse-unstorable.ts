import type { FastifyInstance } from "fastify";
import { badData } from "../errors.ts";

/** Characters that PostgreSQL does not store: NUL, and halves of a pair that stand alone. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
/** Nothing that is sent here has a reason to be deeper, and walking through it takes stack. */
const MAX_DEPTH = 32;

/** Refuses requests with what the database would refuse. */
export function refuseUnstorable(app: FastifyInstance): void {
  app.addHook("preHandler", (request, _reply, done) => {
    const problem =
      findUnstorable(request.params, "/params") ??
      findUnstorable(request.query, "/query") ??
      findUnstorable(request.body, "/body");
    if (problem === undefined) done();
    else done(badData(problem.path, problem.message));
  });
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What cannot be stored in a value, and where; undefined when all of it can. */
export function findUnstorable(value: unknown, path: string, depth = 0): Problem | undefined {
  if (typeof value === "string") return checkText(value, path);
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= MAX_DEPTH) return { path, message: "is nested too deeply" };
  for (const [key, member] of Object.entries(value)) {
    const problem = checkText(key, path) ?? findUnstorable(member, `${path}/${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function checkText(text: string, path: string): Problem | undefined {
  if (!UNSTORABLE.test(text)) return undefined;
  return { path, message: "holds a NUL character or half a surrogate pair: leave it out" };
}
