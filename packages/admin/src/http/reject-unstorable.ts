import type { FastifyInstance } from "fastify";
import { badData } from "../errors.ts";

/** Characters that PostgreSQL cannot store: NUL and lone surrogates. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
/** Deeper than any valid body. Limits the recursion. */
const MAX_DEPTH = 32;

/** Rejects requests with values that the database cannot store. */
export function rejectUnstorable(app: FastifyInstance): void {
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

/** Finds the first part of a value that cannot be stored; undefined if the whole value can be stored. */
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
  return { path, message: "contains a NUL character or a lone surrogate: remove it" };
}
