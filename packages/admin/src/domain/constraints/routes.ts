import type { TypedApp } from "../../http/typed-app.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import { readAnyLegalValues } from "../context-fields/legal-values.ts";
import { checkConstraint, ConstraintBody } from "./check-constraints.ts";

export function registerConstraints(app: TypedApp, storage: Storage): void {
  app.post(
    "/constraints/validate",
    operation({
      id: "validateConstraint",
      role: "viewer",
      tag: "Strategies",
      summary: "Checks whether a constraint is valid",
      empty: 204,
      body: ConstraintBody,
    }),
    async ({ body }, reply) => {
      const legalValues = await readAnyLegalValues(storage.db, body.contextName);
      // It may be for a segment.
      checkConstraint(body, { legalValues, path: "/body", allowsLongLists: true });
      return reply.code(204).send();
    },
  );
}
