import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../access/request-token.ts";
import { ProjectParams } from "../domain/features/schemas.ts";
import { errorResponses } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { exportProject } from "./export-project.ts";
import { importProject } from "./import-project.ts";
import { ImportQuery, type ImportReport, ImportResponse, ProjectFile } from "./schemas.ts";

const tags = ["Transfer"];

/** Three kilobytes for each of as many features as there can be. */
const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Projects as files: for another service, or for another day. */
export function registerTransfer(app: TypedApp, storage: Storage): void {
  app.get(
    "/projects/:projectId/export",
    {
      schema: {
        summary: "The active features of a project, and what they need, as a file",
        tags,
        params: ProjectParams,
        response: { 200: ProjectFile, ...errorResponses(401, 403, 404, 503) },
      },
    },
    ({ params }) => storage.read((db) => exportProject(db, params.projectId)),
  );

  app.post(
    "/projects/:projectId/import",
    {
      bodyLimit: FILE_LIMIT_BYTES,
      schema: {
        summary: "Makes the features of a file part of a project: all of them, or none",
        description:
          "What the file says of a feature replaces what was there; what it does not speak of stays. " +
          "Segments, context fields, tag types and strategy types are made where they are missing.",
        tags,
        params: ProjectParams,
        querystring: ImportQuery,
        body: ProjectFile,
        response: {
          200: ImportResponse,
          ...errorResponses(400, 401, 403, 404, 409, 413, 415, 503),
        },
      },
    },
    async (request) => {
      const { params, query, body } = request;
      try {
        return await storage.write(actorOf(request), async (transaction) => {
          const report = await importProject(transaction, params.projectId, body);
          if (query.dryRun === "true") throw new DryRunEnd(report);
          return report;
        });
      } catch (error) {
        if (error instanceof DryRunEnd) return error.report;
        throw error;
      }
    },
  );
}

/** Ends a transaction without its changes. */
class DryRunEnd extends Error {
  readonly report: ImportReport;

  constructor(report: ImportReport) {
    super("This was a dry run");
    this.report = report;
  }
}
