import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { request } from "../api/request.ts";

/** A component whose code is loaded when it is first shown. */
interface LazyPart<Props> {
  (props: Props): ReactNode;
  /** Loads the code ahead. The router calls it before it shows a page, and when the pointer is over a link to one. */
  preload(): Promise<void>;
}

/** Thrown if the service responds, but without the code: a new version of the console has been installed. */
export class OutdatedError extends Error {
  constructor(cause: unknown) {
    super("This page belongs to an earlier version", { cause });
    this.name = "OutdatedError";
  }
}

/**
 * Returns a component that shows nothing until its code has been loaded.
 *
 * @param load imports the module, and returns a component of it
 */
export function lazyPart<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
): LazyPart<Props> {
  let Part: ComponentType<Props> | undefined;
  const preload = async (): Promise<void> => {
    Part ??= await load().catch(async (cause: unknown) => {
      // Throws an error that says so if the service cannot be reached.
      await request("health");
      throw new OutdatedError(cause);
    });
  };
  function Lazy(props: Props) {
    const [, setState] = useState<object>();
    const isLoaded = Part !== undefined;
    useEffect(() => {
      if (isLoaded) return;
      preload().then(
        () => setState({}),
        (error: unknown) =>
          // The closest error boundary shows what is thrown while rendering.
          setState(() => {
            throw error;
          }),
      );
    }, [isLoaded]);
    return Part === undefined ? null : <Part {...props} />;
  }
  return Object.assign(Lazy, { preload });
}
