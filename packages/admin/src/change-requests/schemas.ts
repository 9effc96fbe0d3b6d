import { type Static, Type } from "typebox";
import { OptionalFilter, OptionalText } from "../http/parse-filter.ts";
import { bodyObject } from "../http/schemas.ts";
import { ProjectParams } from "../domain/schemas.ts";
import { LIMITS } from "../limits.ts";
import { ACTION_NAMES, type ActionName } from "./actions.ts";

const ChangeBody = bodyObject("createChangeSchema", {
  feature: Type.Optional(
    Type.String({ description: "Name of the flag, unless the change is about a segment" }),
  ),
  action: Type.Unsafe<ActionName>({ type: "string", enum: ACTION_NAMES }),
  payload: Type.Optional(
    Type.Unknown({
      description: "What the route that makes the change directly takes as its body",
    }),
  ),
});

/** One change, or a list. */
export const ChangesBody = Type.Union([
  ChangeBody,
  Type.Array(ChangeBody, { minItems: 1, maxItems: LIMITS.changesPerRequest }),
]);

export const EditChangeBody = bodyObject(
  "updateChangeSchema",
  {
    action: Type.Optional(Type.Unsafe<ActionName>({ type: "string", enum: ACTION_NAMES })),
    payload: Type.Optional(Type.Unknown()),
  },
  ["id", "feature", "createdBy", "createdAt", "events", "conflict"],
);

/** The states of requests. */
export const STATES = [
  "Draft",
  "In review",
  "Approved",
  "Scheduled",
  "Applied",
  "Rejected",
  "Cancelled",
] as const;

export type State = (typeof STATES)[number];

const Text = Type.String({ minLength: 1, maxLength: 10_000, pattern: String.raw`\S` });

export const StateBody = bodyObject("updateChangeRequestStateSchema", {
  state: Type.Unsafe<State>({ type: "string", enum: STATES }),
  comment: Type.Optional(
    Type.String({
      maxLength: 10_000,
      description: "Required to apply a request without the approvals that it requires",
    }),
  ),
  scheduledAt: Type.Optional(
    Type.String({
      format: "date-time",
      description: "When to apply the request, for the state Scheduled",
    }),
  ),
});

export const TitleBody = bodyObject("updateChangeRequestTitleSchema", {
  title: Type.String({ minLength: 1, maxLength: 200, pattern: String.raw`\S` }),
});

export const ReviewersBody = bodyObject("changeRequestReviewersSchema", {
  reviewers: Type.Array(Type.Integer({ minimum: 1 }), {
    maxItems: 50,
    description: "Ids of accounts",
  }),
});

export const CommentBody = bodyObject("createChangeRequestCommentSchema", { text: Text });

const Id = Type.String({ pattern: String.raw`^\d{1,9}$`, description: "A whole number" });

export const RequestParams = Type.Object({ ...ProjectParams.properties, changeRequestId: Id });
export const ChangeParams = Type.Object({ ...RequestParams.properties, changeId: Id });

export const SearchQuery = Type.Object({
  project: OptionalFilter,
  environment: OptionalFilter,
  createdBy: OptionalFilter,
  requestedApproverId: OptionalFilter,
  state: OptionalFilter,
  awaitsMe: Type.Optional(
    Type.Unsafe<"false" | "true">({
      type: "string",
      enum: ["true", "false"],
      description: "true: only requests in review that the caller can review and has not reviewed",
    }),
  ),
  offset: OptionalText,
  limit: OptionalText,
});

export type NewChange = Static<typeof ChangeBody>;
export type EditChange = Static<typeof EditChangeBody>;
export type StateChange = Static<typeof StateBody>;
