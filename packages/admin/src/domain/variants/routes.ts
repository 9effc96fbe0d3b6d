import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf } from "../../access/request-identity.ts";
import { JsonPatchBody } from "../../http/json-patch.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import {
  FeatureEnvironmentParams,
  FeatureParams,
  toFeatureAddress,
  toFeatureEnvironmentAddress,
} from "../schemas.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { FlagVariantsBody, FlagVariantsResponse, VariantsBatchBody } from "./schemas.ts";
import {
  editedVariants,
  patchVariants,
  replaceVariants,
  replaceVariantsIn,
  toVariantList,
} from "./store.ts";

const tag = "Variants";
const ONE = "/projects/:projectId/features/:feature/environments/:environment/variants";

/** Routes for the variants of flags in an environment, which strategies without variants use. */
export function registerVariants(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    operation({
      id: "getEnvironmentFeatureVariants",
      role: "viewer",
      tag,
      summary: "Lists the variants of a flag in an environment, with an ETag",
      returns: FlagVariantsResponse,
      alsoFailsWith: [404],
      params: FeatureEnvironmentParams,
    }),
    async ({ params }, reply) => {
      const { readView } = editedVariants(toFeatureEnvironmentAddress(params));
      return withEntityTag(reply, await storage.read(readView));
    },
  );
  registerChanging(app, storage);
  registerBatch(app, storage);
}

function registerChanging(app: TypedApp, storage: Storage): void {
  const change = {
    role: "editor",
    tag,
    returns: FlagVariantsResponse,
    alsoFailsWith: [404, 412],
    headers: IfMatchHeaders,
    params: FeatureEnvironmentParams,
  } as const;

  app.put(
    ONE,
    operation({
      id: "overwriteEnvironmentFeatureVariants",
      summary: "Replaces the variants of a flag in an environment",
      ...change,
      body: FlagVariantsBody,
    }),
    async (request, reply) => {
      const address = toFeatureEnvironmentAddress(request.params);
      const variants = await writeIfMatch(
        storage,
        request,
        editedVariants(address),
        (transaction) => replaceVariants(transaction, address, request.body),
      );
      return withEntityTag(reply, toVariantList(variants));
    },
  );

  app.patch(
    ONE,
    operation({
      id: "patchEnvironmentsFeatureVariants",
      summary: "Applies a JSON Patch to the variants of a flag in an environment",
      ...change,
      body: JsonPatchBody,
    }),
    async (request, reply) => {
      const address = toFeatureEnvironmentAddress(request.params);
      const variants = await writeIfMatch(
        storage,
        request,
        editedVariants(address),
        (transaction) => patchVariants(transaction, address, request.body),
      );
      return withEntityTag(reply, toVariantList(variants));
    },
  );
}

function registerBatch(app: TypedApp, storage: Storage): void {
  app.put(
    "/projects/:projectId/features/:feature/variants-batch",
    operation({
      id: "overwriteFeatureVariantsOnEnvironments",
      role: "editor",
      tag,
      summary: "Replaces the variants of a flag in several environments: in all, or none",
      returns: FlagVariantsResponse,
      alsoFailsWith: [404],
      params: FeatureParams,
      body: VariantsBatchBody,
    }),
    async (request) => {
      const variants = await storage.write(actorOf(request), (transaction) =>
        replaceVariantsIn(transaction, toFeatureAddress(request.params), request.body),
      );
      return toVariantList(variants);
    },
  );
}
