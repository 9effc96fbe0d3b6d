import { type TObject, type TObjectOptions, type TProperties, Type } from "typebox";

/**
 * Creates the schema of an object that the OpenAPI document defines under a name, which is that of a type in generated
 * clients: changing it breaks them.
 */
export function named<Properties extends TProperties>(
  title: string,
  properties: Properties,
  options: TObjectOptions = {},
): TObject<Properties> {
  return Type.Object(properties, { title, ...options });
}
