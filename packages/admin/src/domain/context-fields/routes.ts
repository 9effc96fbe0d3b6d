import type { TypedApp } from "../../http/typed-app.ts";
import { and, eq, isNull, or, type SQL } from "drizzle-orm";
import { type TString, Type } from "typebox";
import { actorOf, callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import { NameBody } from "../../http/names.ts";
import type { Storage } from "../../storage/storage.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { contextFields } from "../../storage/schema/projects.ts";
import { badData, mustExist } from "../../errors.ts";
import { getProject } from "../projects/store.ts";
import { UNUSED } from "../strategy-references.ts";
import { countReferences, listStrategiesUsing } from "./references.ts";
import {
  ContextFieldResponse,
  ContextFieldsQuery,
  CreateContextFieldBody,
  LegalValueBody,
  UpdateContextFieldBody,
} from "./schemas.ts";
import {
  checkNameIsAvailable,
  createContextField,
  deleteContextField,
  editedContextField,
  type FieldAddress,
  getContextField,
  listContextFields,
  putLegalValue,
  removeLegalValue,
  toContextFieldView,
  updateContextField,
} from "./store.ts";

const tag = "Context fields";

/** Where routes are registered: for all fields, or for the fields of one project. */
interface Mount {
  readonly base: string;
  /** What the ids of the operations call a field. */
  readonly noun: string;
  readonly params: Readonly<Record<string, TString>>;
}

const GLOBAL: Mount = { base: "/context", noun: "ContextField", params: {} };

const MOUNTS: readonly Mount[] = [
  GLOBAL,
  {
    base: "/projects/:projectId/context",
    noun: "ProjectContextField",
    params: { projectId: Type.String() },
  },
];

const PROJECT_IN_BODY = {
  property: "project",
  absent: "everywhere",
  unknown: (id: string) => mustExist("/body/project", "project", id),
} as const;

interface Params {
  readonly projectId?: string;
  readonly contextField: string;
  readonly legalValue: string;
}

/** Schema of the parameters in a path. */
function paramsOf<Names extends keyof Params>({ params }: Mount, ...names: readonly Names[]) {
  const own = Object.fromEntries(names.map((name) => [name, Type.String()]));
  return Type.Unsafe<Pick<Params, Names | "projectId">>(Type.Object({ ...params, ...own }));
}

function toAddress({ projectId, contextField }: Omit<Params, "legalValue">): FieldAddress {
  return { name: contextField, ...(projectId !== undefined && { project: projectId }) };
}

/** Routes for the fields of the evaluation context, which constraints refer to. */
export function registerContextFields(app: TypedApp, storage: Storage): void {
  for (const mount of MOUNTS) {
    registerList(app, storage, mount);
    registerReading(app, storage, mount);
    registerCreating(app, storage, mount);
    registerChanging(app, storage, mount);
    registerLegalValues(app, storage, mount);
  }
}

function registerList(app: TypedApp, storage: Storage, mount: Mount): void {
  app.get(
    mount.base,
    operation({
      id: `get${mount.noun}s`,
      role: "viewer",
      tag,
      summary: "Lists context fields",
      returns: Type.Array(ContextFieldResponse),
      alsoFailsWith: [404],
      params: paramsOf(mount),
      querystring: ContextFieldsQuery,
    }),
    (request) =>
      storage.read(async (db) => {
        const { projectId } = request.params;
        const { include } = request.query;
        const { projects } = callerOf(request);
        if (projectId !== undefined) await getProject(db, projectId);
        const counts = await countReferences(db, projects);
        const fields = await listContextFields(
          db,
          and(
            isListed(projectId, include?.toLowerCase()),
            projects.isVisible(contextFields.project),
          ),
        );
        return fields.map((field) => ({
          ...toContextFieldView(field),
          ...(counts.get(field.name) ?? UNUSED),
        }));
      }),
  );
}

function isListed(projectId: string | undefined, include: string | undefined): SQL | undefined {
  const isGlobal = isNull(contextFields.project);
  if (projectId === undefined) return include === "project" ? undefined : isGlobal;
  const isOwn = eq(contextFields.project, projectId);
  return include === "root" ? or(isOwn, isGlobal) : isOwn;
}

function registerReading(app: TypedApp, storage: Storage, mount: Mount): void {
  app.get(
    `${mount.base}/:contextField`,
    operation({
      id: `get${mount.noun}`,
      role: "viewer",
      tag,
      summary: "Shows a context field, with its ETag",
      returns: ContextFieldResponse,
      alsoFailsWith: [404],
      params: paramsOf(mount, "contextField"),
    }),
    async (request, reply) => {
      const { readView } = editedContextField(toAddress(request.params));
      return withEntityTag(reply, await readView(storage.db));
    },
  );

  app.get(
    `${mount.base}/:contextField/strategies`,
    operation({
      id: `getStrategiesBy${mount.noun}`,
      role: "viewer",
      tag,
      summary: "Lists the strategies that use a context field in a constraint or for stickiness",
      alsoFailsWith: [404],
      findsNothing: mount === GLOBAL,
      params: paramsOf(mount, "contextField"),
    }),
    (request) =>
      storage.read(async (db) => {
        const { params } = request;
        // Without a project, an unknown field has no strategies, as in the wire protocol.
        if (params.projectId !== undefined) await getContextField(db, toAddress(params));
        return {
          strategies: await listStrategiesUsing(
            db,
            params.contextField,
            callerOf(request).projects,
          ),
        };
      }),
  );
}

function registerCreating(app: TypedApp, storage: Storage, mount: Mount): void {
  app.post(
    mount.base,
    operation({
      id: `create${mount.noun}`,
      role: "editor",
      tag,
      summary: "Creates a context field",
      ...(mount === GLOBAL && { projectInBody: PROJECT_IN_BODY }),
      creates: ContextFieldResponse,
      alsoFailsWith: [404, 409],
      params: paramsOf(mount),
      body: CreateContextFieldBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), async (transaction) => {
        const { projectId } = request.params;
        if (projectId !== undefined) await getProject(transaction.db, projectId);
        return createContextField(
          transaction,
          inProject(request.params, request.body),
          callerOf(request).projects,
        );
      });
      return reply
        .code(201)
        .header("location", `context/${created.name}`)
        .send(toContextFieldView(created));
    },
  );

  app.post(
    `${mount.base}/validate`,
    operation({
      id: `validate${mount.noun}Name`,
      role: "viewer",
      tag,
      summary: "Checks whether a name is available for a new context field",
      empty: 200,
      alsoFailsWith: [404, 409],
      params: paramsOf(mount),
      body: NameBody,
    }),
    async ({ params: { projectId }, body }, reply) => {
      await storage.read(async (db) => {
        if (projectId !== undefined) await getProject(db, projectId);
        await checkNameIsAvailable(db, body.name);
      });
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage, mount: Mount): void {
  app.put(
    `${mount.base}/:contextField`,
    operation({
      id: `update${mount.noun}`,
      role: "editor",
      tag,
      summary: "Updates the given properties of a context field",
      ...(mount === GLOBAL && { projectInBody: { ...PROJECT_IN_BODY, absent: "unchanged" } }),
      empty: 200,
      alsoFailsWith: [404, 412],
      headers: IfMatchHeaders,
      params: paramsOf(mount, "contextField"),
      body: UpdateContextFieldBody,
    }),
    async (request, reply) => {
      const address = toAddress(request.params);
      await writeIfMatch(storage, request, editedContextField(address), (transaction) =>
        updateContextField(
          transaction,
          address,
          inProject(request.params, request.body),
          callerOf(request).projects,
        ),
      );
      return reply.send();
    },
  );

  app.delete(
    `${mount.base}/:contextField`,
    operation({
      id: `delete${mount.noun}`,
      role: "editor",
      tag,
      summary: "Deletes a context field that is not in use",
      empty: 200,
      alsoFailsWith: [404, 409, 412],
      headers: IfMatchHeaders,
      params: paramsOf(mount, "contextField"),
    }),
    async (request, reply) => {
      const address = toAddress(request.params);
      await writeIfMatch(storage, request, editedContextField(address), (transaction) =>
        deleteContextField(transaction, address, callerOf(request).projects),
      );
      return reply.send();
    },
  );
}

function registerLegalValues(app: TypedApp, storage: Storage, mount: Mount): void {
  app.post(
    `${mount.base}/:contextField/legal-values`,
    operation({
      id: `update${mount.noun}LegalValue`,
      role: "editor",
      tag,
      summary: "Adds an allowed value to a context field, or replaces its description",
      empty: 200,
      alsoFailsWith: [404],
      params: paramsOf(mount, "contextField"),
      body: LegalValueBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        putLegalValue(transaction, toAddress(request.params), request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    `${mount.base}/:contextField/legal-values/:legalValue`,
    operation({
      id: `delete${mount.noun}LegalValue`,
      role: "editor",
      tag,
      summary: "Removes an allowed value from a context field",
      empty: 200,
      alsoFailsWith: [404],
      params: paramsOf(mount, "contextField", "legalValue"),
    }),
    async (request, reply) => {
      const { legalValue, ...params } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeLegalValue(transaction, toAddress(params), legalValue),
      );
      return reply.send();
    },
  );
}

/** Limits a body to the project in the path, if there is one. */
function inProject<Body extends { readonly project?: string | null }>(
  { projectId }: Pick<Params, "projectId">,
  body: Body,
): Body {
  if (projectId === undefined) return body;
  if ((body.project ?? projectId) !== projectId) {
    throw badData("/body/project", "must be omitted, or the project in the path");
  }
  return { ...body, project: projectId };
}
