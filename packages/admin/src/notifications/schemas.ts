import { Type } from "typebox";
import { bodyObject, closedObject, nullableText } from "../http/schemas.ts";

const MAX_VALUE_LENGTH = 20_000;
const MAX_LIST_LENGTH = 1000;

const List = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
    maxItems: MAX_LIST_LENGTH,
    description,
  });

const properties = {
  enabled: Type.Boolean(),
  parameters: Type.Unsafe<Readonly<Record<string, string>>>({
    type: "object",
    additionalProperties: { type: "string", maxLength: MAX_VALUE_LENGTH },
    description: "What the provider requires, see the list of providers",
  }),
  events: List("Types of events; an empty list or * for all that are offered"),
};

const optional = {
  description: Type.Optional(nullableText(1000)),
  projects: Type.Optional(List("Ids of projects; an empty list or * for all")),
  environments: Type.Optional(List("Names of environments; an empty list or * for all")),
};

const Provider = Type.String({ description: "The name of a provider, such as webhook" });

/** What reading an addon returns in addition. */
const READ_ONLY = [
  "id",
  "secret",
  "createdAt",
  "destination",
  "failingSince",
  "disabledReason",
  "pending",
  "failed",
  "lastAttempt",
];

export const CreateAddonBody = bodyObject(
  "addonCreateSchema",
  { provider: Provider, ...properties, ...optional },
  READ_ONLY,
);

export const UpdateAddonBody = bodyObject(
  "addonUpdateSchema",
  { provider: Type.Optional(Provider), ...properties, ...optional },
  READ_ONLY,
);

const AddonId = Type.String({ pattern: String.raw`^\d{1,9}$`, description: "A whole number" });
const EventId = Type.String({ pattern: String.raw`^\d{1,15}$`, description: "A whole number" });

export const AddonParams = Type.Object({ addonId: AddonId });
export const NotificationParams = Type.Object({ addonId: AddonId, eventId: EventId });

const Time = Type.String({ format: "date-time" });
const nullable = (description: string, schema: object) =>
  Type.Unsafe<unknown>({ ...schema, description });

const Attempt = closedObject("addonAttemptSchema", {
  state: Type.Enum(["success", "failed", "pending"]),
  at: Time,
  status: nullable("HTTP status; null without a response", { type: ["integer", "null"] }),
  reason: nullable("Why it failed", { type: ["string", "null"] }),
});

const addon = {
  id: Type.Integer(),
  provider: Type.String(),
  enabled: Type.Boolean(),
  description: nullable("", { type: ["string", "null"] }),
  parameters: Type.Unsafe<object>({
    type: "object",
    additionalProperties: { type: "string" },
    description: "Secret values are shown as *****. Sending that back keeps the stored value",
  }),
  events: Type.Array(Type.String()),
  projects: Type.Array(Type.String()),
  environments: Type.Array(Type.String()),
  createdAt: Time,
  destination: Type.String({ description: "The host that receives the notifications" }),
  failingSince: nullable("When the first attempt failed since the last success", {
    type: ["string", "null"],
  }),
  disabledReason: nullable("Why the service has disabled it", { type: ["string", "null"] }),
  pending: Type.Integer({ description: "How many notifications are to be sent" }),
  failed: Type.Integer({
    description: "How many of the last 30 days were given up",
  }),
  lastAttempt: Type.Unsafe<unknown>({ anyOf: [Attempt, { type: "null" }] }),
};

export const AddonResponse = closedObject("addonSchema", addon);

const Secret = Type.String({
  description:
    "With which requests are signed, as in Standard Webhooks. No other response contains it",
});

export const CreatedAddonResponse = closedObject("addonCreatedSchema", {
  ...addon,
  secret: Type.Optional(Secret),
});

export const AddonsResponse = closedObject("addonsSchema", {
  addons: Type.Array(AddonResponse),
  providers: Type.Array(
    closedObject("addonTypeSchema", {
      name: Type.String(),
      displayName: Type.String(),
      documentationUrl: Type.String(),
      description: Type.String(),
      parameters: Type.Array(
        closedObject("addonParameterSchema", {
          name: Type.String(),
          displayName: Type.String(),
          type: Type.String(),
          description: Type.String(),
          placeholder: Type.Optional(Type.String()),
          required: Type.Boolean(),
          sensitive: Type.Boolean(),
        }),
      ),
      events: Type.Array(Type.String(), { description: "Types of events that can be chosen" }),
    }),
  ),
});

export const IntegrationEventsResponse = closedObject("integrationEventsSchema", {
  integrationEvents: Type.Array(
    closedObject("integrationEventSchema", {
      id: Type.String({ description: "The id of the event" }),
      integrationId: Type.Integer(),
      createdAt: Time,
      state: Type.Enum(["success", "failed", "pending"], {
        description: "failed: it is not tried again",
      }),
      stateDetails: Type.String(),
      event: Type.Unsafe<unknown>({
        type: ["object", "null"],
        description: "Without the states before and after; null if it has been deleted",
      }),
      details: closedObject("integrationEventDetailsSchema", {
        messageId: Type.String({ description: "The header webhook-id" }),
        attempts: Type.Integer(),
        attemptedAt: nullable("", { type: ["string", "null"] }),
        nextAttemptAt: nullable("", { type: ["string", "null"] }),
        status: nullable("HTTP status of the last attempt", { type: ["integer", "null"] }),
        durationMs: nullable("Of the last attempt", { type: ["integer", "null"] }),
      }),
    }),
  ),
});

export const TestResponse = closedObject("addonTestSchema", {
  state: Type.Enum(["success", "failed"]),
  status: nullable("HTTP status; null without a response", { type: ["integer", "null"] }),
  durationMs: Type.Integer(),
  reason: nullable("Why it failed", { type: ["string", "null"] }),
});

export const RotatedSecretResponse = closedObject("addonSecretSchema", {
  secret: Secret,
  previousSecretUntil: Type.String({
    format: "date-time",
    description: "Until then, the previous secret also verifies each signature",
  }),
});
