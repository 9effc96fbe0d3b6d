interface Operation {
  readonly operationId?: string | undefined;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface OpenApiDocument {
  readonly paths?: object | undefined;
}

/**
 * Gives every operation that has none an `operationId` made from its method and path:
 * `GET <basePath>/flags/{name}` becomes `getFlagsByName`. Clients generated from the document use it
 * as the name of a function, so it does not depend on where the service is mounted. Returns a new
 * document.
 *
 * @throws {TypeError} when two operations have the same id
 */
export function addOperationIds<Document extends OpenApiDocument>(
  document: Document,
  basePath: string,
): Document {
  const seen = new Set<string>();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [path, methods] of Object.entries((document.paths ?? {}) as Paths)) {
    paths[path] = {};
    for (const [method, operation] of Object.entries(methods)) {
      const operationId = operation.operationId ?? toOperationId(method, path, basePath);
      if (seen.has(operationId)) {
        throw new TypeError(`Two operations have the id "${operationId}": give one its own`);
      }
      seen.add(operationId);
      paths[path][method] = { ...operation, operationId };
    }
  }
  return { ...document, paths };
}

function toOperationId(method: string, path: string, basePath: string): string {
  const ownPath = path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
  const words = ownPath.replaceAll("{", "by-").split(/[^\dA-Za-z]+/);
  return method + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
