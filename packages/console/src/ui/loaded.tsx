import type { ReactNode } from "react";
import type { UseQueryResult } from "@tanstack/react-query";
import { isUnavailable } from "../api/request.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { describeError } from "./describe-error.ts";
import "./loaded.css";

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  readonly children: (data: Data) => ReactNode;
}

/**
 * Renders the data of a query, or that it is loading, or why it cannot be loaded. That the service cannot be reached is said
 * once, above all pages.
 */
export function Loaded<Data>({ query, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {error === null || isUnavailable(error) ? null : (
          <Banner kind="warning">This may be outdated: {describeError(error)}</Banner>
        )}
        {children(data)}
      </>
    );
  }
  if (error === null) return <Loading />;
  return (
    <Banner kind="error">
      <p>{describeError(error)}</p>
      <Button size="small" onPress={() => void refetch()}>
        Try again
      </Button>
    </Banner>
  );
}

export function Loading() {
  return (
    <div className="loading" role="status">
      Loading…
    </div>
  );
}
