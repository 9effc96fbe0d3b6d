import type { TypedApp } from "../http/typed-app.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { ProjectParams } from "../domain/schemas.ts";
import { operation } from "../access/operation.ts";
import { importOrRequest } from "../change-requests/request-import.ts";
import { LIMITS } from "../limits.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { writeAndRollBack } from "../storage/write-and-roll-back.ts";
import { importProject } from "./project-file/import-project.ts";
import { exportProject } from "./project-file/export-project.ts";
import { ImportQuery, ImportResponse, ProjectFile } from "./project-file/schemas.ts";
import { Queue } from "../scheduling/time-slice.ts";
import { exportUnleashFile } from "./unleash-file/export-unleash-file.ts";
import { importUnleashFile, validateUnleashFile } from "./unleash-file/import-unleash-file.ts";
import {
  ExportQueryBody,
  UnleashImportBody,
  UnleashImportResponse,
  ValidationResponse,
} from "./unleash-file/schemas.ts";

const tag = "Transfer";

/** Routes that export flags to files and import them from files. */
export function registerTransfer(app: TypedApp, storage: Storage): void {
  const exports = new Queue();
  registerProjectExport(app, storage, exports);
  registerProjectImport(app, storage);
  registerUnleashExport(app, storage, exports);
  registerUnleashImport(app, storage);
}

function registerProjectExport(app: TypedApp, storage: Storage, exports: Queue): void {
  app.get(
    "/projects/:projectId/export",
    operation({
      id: "exportProject",
      role: "viewer",
      tag,
      summary:
        "Exports the active flags and default strategies of a project, and the definitions that they refer to",
      returns: ProjectFile,
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    ({ params, socket }) =>
      exports.run(socket, () => storage.read((db) => exportProject(db, params.projectId))),
  );
}

function registerProjectImport(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects/:projectId/import",
    {
      bodyLimit: LIMITS.importBytes,
      ...operation({
        id: "importProject",
        role: "editor",
        tag,
        summary: "Imports the flags of a file into a project: all of them, or none",
        description:
          "Properties in the file replace those of existing flags. Absent properties stay unchanged. " +
          "Missing segments, context fields, tag types, strategy types and default strategies are created.",
        returns: ImportResponse,
        alsoFailsWith: [404, 409],
        params: ProjectParams,
        querystring: ImportQuery,
        body: ProjectFile,
      }),
    },
    async (request, reply) => {
      const { params, query, body } = request;
      const actor = actorOf(request);
      const work = (transaction: WriteTransaction) =>
        importProject(
          transaction,
          { project: params.projectId, access: callerOf(request).projects },
          body,
        );
      return query.dryRun === "true"
        ? writeAndRollBack(storage, actor, work)
        : importOrRequest(
            storage,
            { request, reply },
            { work, action: "importProject", payload: body },
          );
    },
  );
}

function registerUnleashExport(app: TypedApp, storage: Storage, exports: Queue): void {
  app.post(
    "/features-batch/export",
    operation({
      id: "exportFeatures",
      role: "viewer",
      tag,
      summary: "Exports one environment of flags, in the format of Unleash",
      body: ExportQueryBody,
    }),
    async (request, reply) => {
      const { body, socket } = request;
      const { projects } = callerOf(request);
      if (body.downloadFile === true) {
        reply.header("content-disposition", 'attachment; filename="features.json"');
      }
      return exports.run(socket, () => storage.read((db) => exportUnleashFile(db, body, projects)));
    },
  );
}

function registerUnleashImport(app: TypedApp, storage: Storage): void {
  app.post(
    "/features-batch/validate",
    {
      bodyLimit: LIMITS.importBytes,
      ...operation({
        id: "validateImport",
        // Not for viewers, although it changes nothing: it runs the import in a write transaction, which other changes wait
        // for, and rolls it back.
        role: "editor",
        projectInBody: { property: "project", absent: "everywhere" },
        tag,
        summary: "Checks whether flags can be imported into an environment",
        returns: ValidationResponse,
        alsoFailsWith: [404],
        body: UnleashImportBody,
      }),
    },
    async (request) => ({
      ...(await validateUnleashFile(
        storage,
        { actor: actorOf(request), access: callerOf(request).projects },
        request.body,
      )),
      // Users who can import can also change everything that an import changes.
      permissions: [],
    }),
  );

  app.post(
    "/features-batch/import",
    {
      bodyLimit: LIMITS.importBytes,
      ...operation({
        id: "importToggles",
        role: "editor",
        projectInBody: { property: "project", absent: "everywhere" },
        tag,
        summary: "Imports flags into an environment of a project: all of them, or none",
        returns: UnleashImportResponse,
        alsoFailsWith: [404, 409],
        body: UnleashImportBody,
      }),
    },
    (request, reply) =>
      importOrRequest(
        storage,
        { request, reply },
        {
          work: (transaction) =>
            importUnleashFile(transaction, request.body, callerOf(request).projects),
          action: "importFeatures",
          payload: request.body,
        },
      ),
  );
}
