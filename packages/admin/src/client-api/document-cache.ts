import { LRUCache } from "lru-cache";
import type { EnvironmentState } from "./environment-state.ts";
import {
  writeFeatureDocument,
  type DocumentRequest,
  type FeatureDocument,
} from "./feature-document.ts";

const MAX_CHARACTERS = 32 * 1024 * 1024;

type Documents = LRUCache<string, FeatureDocument>;

/** Writes each document once, and forgets those of a state together with it. */
export class DocumentCache {
  readonly #documentsOf = new WeakMap<EnvironmentState, Documents>();

  get(state: EnvironmentState, request: DocumentRequest): FeatureDocument {
    const documents = this.#documentsOf.get(state) ?? createDocuments();
    this.#documentsOf.set(state, documents);

    const key = JSON.stringify(request);
    const document = documents.get(key) ?? writeFeatureDocument(state, request);
    documents.set(key, document);
    return document;
  }
}

function createDocuments(): Documents {
  return new LRUCache({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ text, entityTag }, key) => text.length + entityTag.length + key.length,
  });
}
