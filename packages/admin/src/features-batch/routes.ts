import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../access/request-identity.ts";
import { documented, errorResponses } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { exportBatch } from "./export-batch.ts";
import { importBatch, validateBatch } from "./import-batch.ts";
import { ExportQueryBody, ImportBatchBody, ValidationResponse } from "./schemas.ts";

const tag = "Transfer";

/** As that of project files. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;

/** Routes that export and import one environment of flags in the format of Unleash. */
export function registerFeaturesBatch(app: TypedApp, storage: Storage): void {
  app.post(
    "/features-batch/export",
    {
      schema: {
        ...documented({
          tag,
          summary: "Exports one environment of flags, in the format of Unleash",
          hasBody: true,
        }),
        body: ExportQueryBody,
      },
    },
    async ({ body }, reply) => {
      if (body.downloadFile === true) {
        reply.header("content-disposition", 'attachment; filename="features.json"');
      }
      return storage.read((db) => exportBatch(db, body));
    },
  );

  app.post(
    "/features-batch/validate",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        summary: "Checks whether flags can be imported into an environment",
        tags: [tag],
        body: ImportBatchBody,
        response: {
          200: ValidationResponse,
          ...errorResponses(400, 401, 403, 404, 413, 415, 503),
        },
      },
    },
    async (request) => ({
      ...(await validateBatch(storage, actorOf(request), request.body)),
      // Users who can import can also change everything that an import changes.
      permissions: [],
    }),
  );

  app.post(
    "/features-batch/import",
    {
      bodyLimit: BODY_LIMIT_BYTES,
      schema: {
        ...documented({
          tag,
          summary: "Imports flags into an environment of a project: all of them, or none",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404, 409],
        }),
        body: ImportBatchBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        importBatch(transaction, request.body),
      );
      return reply.send();
    },
  );
}
