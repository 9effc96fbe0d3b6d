import { and, eq } from "drizzle-orm";
import type { FastifyRequest } from "fastify";
import { nameOf } from "../access/account.ts";
import { operation } from "../access/operation.ts";
import { readProjectAccess } from "../access/project-access.ts";
import { actorOf, callerOf } from "../access/request-identity.ts";
import { includesLevel } from "../access/role.ts";
import { listUsers } from "../accounts/user-store.ts";
import { FeatureParams, ProjectEnvironmentParams, ProjectParams } from "../domain/schemas.ts";
import { checkProjectEnvironment, getProject } from "../domain/projects/store.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Database } from "../storage/database.ts";
import { changeRequests } from "../storage/schema/change-requests.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { checkRequest } from "./apply-request.ts";
import { addComment, changeState } from "./change-state.ts";
import {
  addChanges,
  askReviewers,
  discard,
  editChange,
  removeChange,
  rename,
} from "./edit-request.ts";
import { isSame, type Participant, toParticipant } from "./participant.ts";
import {
  ChangeParams,
  ChangesBody,
  CommentBody,
  EditChangeBody,
  RequestParams,
  ReviewersBody,
  SearchQuery,
  StateBody,
  TitleBody,
} from "./schemas.ts";
import { countByState, searchRequests } from "./search-requests.ts";
import {
  type ChangeRequest,
  concernsFeature,
  findRequests,
  getRequest,
  IS_OPEN,
  listRequests,
  toRequestSummary,
  toRequestView,
} from "./store.ts";

const tag = "Change requests";
const LIST = "/projects/:projectId/change-requests";
const ONE = `${LIST}/:changeRequestId` as const;

/** Routes for changes that are requested, reviewed, and applied at once, now or at a time. */
export function registerChangeRequests(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerLists(app, storage);
  registerCreating(app, storage);
  registerEditing(app, storage);
  registerStates(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    operation({
      id: "getChangeRequest",
      role: "viewer",
      tag,
      summary: "Shows a change request, with what its changes would do",
      alsoFailsWith: [404],
      params: RequestParams,
    }),
    ({ params }) =>
      storage.read(async (db) =>
        toRequestView(await getRequest(db, params.projectId, Number(params.changeRequestId))),
      ),
  );

  app.get(
    `${LIST}/available-reviewers/:environment`,
    operation({
      id: "getAvailableChangeRequestReviewers",
      role: "viewer",
      tag,
      summary: "Lists the people who can review requests for an environment of a project",
      alsoFailsWith: [404],
      params: ProjectEnvironmentParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        await checkProjectEnvironment(db, params.projectId, params.environment);
        return listReviewers(db, params.projectId);
      }),
  );
}

async function listReviewers(db: Database, project: string) {
  const active = (await listUsers(db)).filter(({ disabledAt }) => disabledAt === null);
  const access = await readProjectAccess(db, active);
  return active
    .filter(({ id }) => includesLevel(access.get(id)?.levelIn(project) ?? "viewer", "editor"))
    .map((user) => ({ id: user.id, username: nameOf(user), imageUrl: null }));
}

function registerLists(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    operation({
      id: "getChangeRequestsForProject",
      role: "viewer",
      tag,
      summary: "Lists the change requests of a project, the latest first, without drafts of others",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request) =>
      storage.read(async (db) => {
        const project = await getProject(db, request.params.projectId);
        const requests = await listRequests(db, eq(changeRequests.project, project.id));
        return requests.filter((one) => isVisible(one, request)).map(toRequestSummary);
      }),
  );

  app.get(
    `${LIST}/pending`,
    operation({
      id: "getPendingChangeRequestsForProject",
      role: "viewer",
      tag,
      summary: "Lists the open change requests of a project, without drafts of others",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    (request) =>
      storage.read(async (db) => {
        const project = await getProject(db, request.params.projectId);
        const requests = await listRequests(
          db,
          and(eq(changeRequests.project, project.id), IS_OPEN),
        );
        return requests.filter((one) => isVisible(one, request)).map(toRequestSummary);
      }),
  );

  app.get(
    `${LIST}/pending/:feature`,
    operation({
      id: "getPendingChangeRequestsForFeature",
      role: "viewer",
      tag,
      summary: "Lists the open change requests about a flag, without drafts of others",
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
    (request) =>
      storage.read(async (db) => {
        const { projectId, feature } = request.params;
        const project = await getProject(db, projectId);
        const requests = await findRequests(
          db,
          and(eq(changeRequests.project, project.id), IS_OPEN, concernsFeature(db, feature)),
        );
        return requests.filter((one) => isVisible(one, request)).map((one) => toRequestView(one));
      }),
  );

  app.get(
    `${LIST}/count`,
    operation({
      id: "getProjectChangeRequestsCount",
      role: "viewer",
      tag,
      summary: "Counts the change requests of a project by their state",
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    ({ params }) =>
      storage.read(async (db) => countByState(db, (await getProject(db, params.projectId)).id)),
  );

  app.get(
    "/search/change-requests",
    operation({
      id: "searchChangeRequests",
      role: "viewer",
      tag,
      summary: "Searches the change requests of all projects, the latest first",
      alsoFailsWith: [400],
      querystring: SearchQuery,
    }),
    (request) =>
      storage.read(async (db) => {
        const found = await searchRequests(db, request.query, {
          caller: callerOf(request),
          actor: actorOf(request),
        });
        return { ...found, changeRequests: found.changeRequests.map(toRequestSummary) };
      }),
  );
}

/** NOTE: only for the list. Drafts are no secret. */
function isVisible(
  { storedState, createdBy }: Pick<ChangeRequest, "createdBy" | "storedState">,
  request: FastifyRequest,
): boolean {
  return storedState !== "Draft" || isSame(createdBy, { ...actorOf(request), userId: null });
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects/:projectId/environments/:environment/change-requests",
    operation({
      id: "addChangesToChangeRequest",
      role: "editor",
      tag,
      summary: "Adds changes to the caller's draft for an environment, or to a new one",
      description: "The changes are tried out, so a change that cannot be made is an error now.",
      alsoFailsWith: [404, 409],
      params: ProjectEnvironmentParams,
      body: ChangesBody,
    }),
    async (request) => {
      const { projectId: project, environment } = request.params;
      const changes = [request.body].flat();
      const isList = Array.isArray(request.body);
      const created = await storage.write(actorOf(request), async (transaction) =>
        addChanges(
          transaction,
          { project, environment },
          changes.map(({ action, feature = null, payload = null }) => ({
            action,
            feature,
            payload,
          })),
          {
            participant: await toParticipant(transaction, request),
            pathOf: (index) => (isList ? `/body/${index}` : "/body"),
          },
        ),
      );
      return toRequestView(created);
    },
  );
}

/** Changes a request, and returns it. */
type Edit<Result> = (
  transaction: WriteTransaction,
  changeRequest: ChangeRequest,
  participant: Participant,
) => Promise<Result>;

function createEditor(storage: Storage) {
  return <Result>(
    request: FastifyRequest,
    {
      projectId,
      changeRequestId,
    }: { readonly projectId: string; readonly changeRequestId: string },
    edit: Edit<Result>,
  ): Promise<Result> =>
    storage.write(actorOf(request), async (transaction) =>
      edit(
        transaction,
        await getRequest(transaction.db, projectId, Number(changeRequestId)),
        await toParticipant(transaction, request),
      ),
    );
}

function registerEditing(app: TypedApp, storage: Storage): void {
  const write = createEditor(storage);
  const shared = { role: "editor", tag, empty: 200, alsoFailsWith: [404] } as const;

  app.put(
    `${ONE}/changes/:changeId`,
    operation({
      id: "editChange",
      summary: "Replaces the payload of a change. This deletes the approvals of the request",
      ...shared,
      params: ChangeParams,
      body: EditChangeBody,
    }),
    async (request, reply) => {
      const changeId = Number(request.params.changeId);
      const { body } = request;
      await write(request, request.params, (transaction, changeRequest, participant) =>
        editChange(transaction, changeRequest, { changeId, body, participant }),
      );
      return reply.send();
    },
  );

  app.delete(
    `${ONE}/changes/:changeId`,
    operation({
      id: "discardChange",
      summary: "Removes a change. This deletes the approvals of the request",
      ...shared,
      params: ChangeParams,
    }),
    async (request, reply) => {
      const changeId = Number(request.params.changeId);
      await write(request, request.params, (transaction, changeRequest, participant) =>
        removeChange(transaction, changeRequest, { changeId, participant }),
      );
      return reply.send();
    },
  );

  app.delete(
    ONE,
    operation({
      id: "deleteChangeRequest",
      summary: "Deletes a draft",
      ...shared,
      params: RequestParams,
    }),
    async (request, reply) => {
      await write(request, request.params, discard);
      return reply.send();
    },
  );

  app.put(
    `${ONE}/title`,
    operation({
      id: "updateChangeRequestTitle",
      summary: "Renames a request",
      ...shared,
      params: RequestParams,
      body: TitleBody,
    }),
    async (request, reply) => {
      const { title } = request.body;
      await write(request, request.params, (transaction, changeRequest, participant) =>
        rename(transaction, changeRequest, { title, participant }),
      );
      return reply.send();
    },
  );

  app.put(
    `${ONE}/approvers`,
    operation({
      id: "updateChangeRequestRequestedApprovers",
      summary: "Asks people to review a request, instead of those who were asked before",
      ...shared,
      params: RequestParams,
      body: ReviewersBody,
    }),
    async (request, reply) => {
      const { reviewers } = request.body;
      await write(request, request.params, (transaction, changeRequest, participant) =>
        askReviewers(transaction, changeRequest, { reviewers, participant }),
      );
      return reply.send();
    },
  );
}

function registerStates(app: TypedApp, storage: Storage): void {
  const write = createEditor(storage);

  app.put(
    `${ONE}/state`,
    operation({
      id: "changeChangeRequestState",
      role: "editor",
      tag,
      summary: "Sends a request to review, approves, rejects, schedules, applies or cancels it",
      description:
        "A conflict with what somebody has changed since is a 409 whose `details` contain what it was and what it is now.",
      alsoFailsWith: [404, 409],
      params: RequestParams,
      body: StateBody,
    }),
    async (request) => {
      const { body } = request;
      const changed = await write(
        request,
        request.params,
        (transaction, changeRequest, participant) =>
          changeState(transaction, changeRequest, { participant, body }),
      );
      return toRequestView(changed);
    },
  );

  app.post(
    `${ONE}/check`,
    operation({
      id: "checkChangeRequest",
      role: "editor",
      tag,
      summary: "Shows a change request, with what others have changed since",
      alsoFailsWith: [404, 409],
      params: RequestParams,
    }),
    (request) =>
      write(request, request.params, async (transaction, changeRequest, participant) =>
        toRequestView(changeRequest, await checkRequest(transaction, changeRequest, participant)),
      ),
  );

  app.post(
    `${ONE}/comments`,
    operation({
      id: "addChangeRequestComment",
      role: "editor",
      tag,
      summary: "Adds a comment to a request",
      alsoFailsWith: [404],
      params: RequestParams,
      body: CommentBody,
    }),
    async (request) => {
      const { text } = request.body;
      const commented = await write(
        request,
        request.params,
        async (transaction, changeRequest, participant) => {
          await addComment(transaction, changeRequest, { text, participant });
          return getRequest(transaction.db, changeRequest.project, changeRequest.id);
        },
      );
      return toRequestView(commented);
    },
  );
}
