import { type Static, Type } from "typebox";
import { bodyObject, closedObject } from "../../http/schemas.ts";
import { ExportedData } from "../bundle/exported-data.ts";

const Names = Type.Array(Type.String(), { maxItems: 10_000 });

export const ExportQueryBody = bodyObject("exportQuerySchema", {
  environment: Type.String({ minLength: 1 }),
  features: Type.Optional(Names),
  tag: Type.Optional(Type.String({ minLength: 1, description: "Value of a tag" })),
  project: Type.Optional(Type.String({ minLength: 1 })),
  downloadFile: Type.Optional(Type.Boolean({ description: "Whether browsers save the response" })),
});

export const UnleashImportBody = closedObject("importTogglesSchema", {
  project: Type.String({ minLength: 1 }),
  environment: Type.String({ minLength: 1 }),
  data: ExportedData,
});

const Problems = Type.Array(
  Type.Object(
    { message: Type.String(), affectedItems: Type.Array(Type.String()) },
    { title: "importTogglesValidateItemSchema" },
  ),
);

export const ValidationResponse = Type.Object(
  {
    errors: Problems,
    warnings: Problems,
    permissions: Problems,
  },
  { title: "importTogglesValidateSchema" },
);

export const UnleashImportResponse = Type.Object(
  { warnings: Problems },
  { title: "importTogglesResultSchema" },
);

export type ExportQuery = Readonly<Static<typeof ExportQueryBody>>;
/** Something that prevents an import, or that an administrator should know, and names of flags and so on. */
export type Problem = Static<typeof Problems>[number];
export type UnleashImport = Readonly<Static<typeof UnleashImportBody>>;
