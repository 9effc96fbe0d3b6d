import { type TObject, type TObjectOptions, type TProperties, Type } from "typebox";

/** The schema of an object with its name in the OpenAPI document. NOTE: changing a name breaks generated clients. */
export function named<Properties extends TProperties>(
  title: string,
  properties: Properties,
  options: TObjectOptions = {},
): TObject<Properties> {
  return Type.Object(properties, { title, ...options });
}
