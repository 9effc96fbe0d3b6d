import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../access/request-identity.ts";
import { ProjectParams } from "../domain/schemas.ts";
import { errorResponses } from "../http/schemas.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { exportProject } from "./export-project.ts";
import { writeAndRollBack } from "./dry-run.ts";
import { importProject } from "./import-project.ts";
import { ImportQuery, ImportResponse, ProjectFile } from "./schemas.ts";

const tags = ["Transfer"];

/** About 3 KiB for each flag, with the maximum number of flags. */
const FILE_LIMIT_BYTES = 16 * 1024 * 1024;

/** Routes that export a project to a file and import a file into a project. */
export function registerImportExport(app: TypedApp, storage: Storage): void {
  app.get(
    "/projects/:projectId/export",
    {
      schema: {
        summary: "Exports the active flags of a project and the definitions that they refer to",
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
        summary: "Imports the flags of a file into a project: all of them, or none",
        description:
          "Properties in the file replace those of existing flags. Absent properties stay unchanged. " +
          "Missing segments, context fields, tag types and strategy types are created.",
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
      const actor = actorOf(request);
      const work = (transaction: WriteTransaction) =>
        importProject(transaction, params.projectId, body);
      return query.dryRun === "true"
        ? writeAndRollBack(storage, actor, work)
        : storage.write(actor, work);
    },
  );
}
