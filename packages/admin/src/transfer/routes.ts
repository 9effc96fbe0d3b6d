import type { TypedApp } from "../http/typed-app.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { ProjectParams } from "../domain/schemas.ts";
import { operation } from "../access/operation.ts";
import { importOrRequest } from "../change-requests/request-import.ts";
import { LIMITS } from "../limits.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { writeAndRollBack } from "../storage/write-and-roll-back.ts";
import { toPerformer } from "../access/performer.ts";
import { type Applied, applyBundle } from "./bundle/apply-bundle.ts";
import { ImportReportBody } from "./bundle/bundle.ts";
import { ImportBody, readRequestedBundle } from "./bundle/import-request.ts";
import { importProject } from "./project-file/import-project.ts";
import { exportProject } from "./project-file/export-project.ts";
import {
  ImportQuery,
  ImportResponse,
  ProjectFile,
  type ProjectFileContent,
} from "./project-file/schemas.ts";
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
  registerImport(app, storage);
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
        : importOrRequest(storage, { request, reply }, { work, payload: () => body });
    },
  );
}

function registerImport(app: TypedApp, storage: Storage): void {
  app.post(
    "/import",
    {
      bodyLimit: LIMITS.importBytes,
      ...operation({
        id: "importFile",
        role: "editor",
        projectInBody: { property: "project", absent: "everywhere" },
        tag,
        summary: "Imports a file that was exported here or by an Unleash server, of any version",
        description:
          "The form of the file says what it is. Missing environments and projects are created, which only admins may do. " +
          "Importing the same file again changes nothing. Flags and definitions that were changed here since are conflicts, " +
          "which stay as they are unless `overwrite` is true.",
        returns: ImportReportBody,
        alsoFailsWith: [404, 409],
        querystring: ImportQuery,
        body: ImportBody,
      }),
    },
    async (request, reply) => {
      const { query, body } = request;
      const bundle = await readRequestedBundle(body);
      const options = {
        performer: toPerformer(callerOf(request)),
        overwrites: body.overwrite === true ? ("everything" as const) : ("nothing" as const),
      };
      if (query.dryRun === "true") {
        return writeAndRollBack(storage, actorOf(request), async (transaction) => {
          const { report } = await applyBundle(transaction, bundle, options);
          const requiresApprovals = await transaction.findMissingApprovals();
          return { ...report, ...(requiresApprovals && { requiresApprovals }) };
        });
      }
      let applied: Applied | undefined;
      const work = async (transaction: WriteTransaction) => {
        applied = await applyBundle(transaction, bundle, options);
        return applied.report;
      };
      const [project, ...others] = bundle.projects;
      // A change request is about one project.
      if (project === undefined || others.length > 0) return storage.write(actorOf(request), work);
      return importOrRequest(
        storage,
        { request, reply },
        { work, payload: () => applied?.files.get(project.id) },
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
        { actor: actorOf(request), performer: toPerformer(callerOf(request)) },
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
    (request, reply) => {
      let imported: ProjectFileContent | undefined;
      return importOrRequest(
        storage,
        { request, reply },
        {
          work: async (transaction) => {
            const { file, warnings } = await importUnleashFile(
              transaction,
              request.body,
              toPerformer(callerOf(request)),
            );
            imported = file;
            return { warnings };
          },
          payload: () => imported,
        },
      );
    },
  );
}
