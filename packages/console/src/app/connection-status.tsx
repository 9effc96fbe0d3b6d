import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { ApiError } from "../api/request.ts";
import { describeError } from "../ui/describe-error.ts";
import { isSignedOut, sessionQuery } from "../session/session.ts";
import "./connection-status.css";

/**
 * Says that the service or its database does not respond. The session is read again regularly, and whenever a
 * request or the stream of changes fails.
 */
export function ConnectionStatus() {
  const { error } = useQuery(sessionQuery);
  // Screen readers announce what appears in an element that exists already.
  return (
    <div className="connection-status" role="status">
      {error === null || isSignedOut(error) ? null : (
        <p>
          <TriangleAlert aria-hidden />
          {error instanceof ApiError ? describeError(error) : "The service cannot be reached."} This
          page shows what it last received.
        </p>
      )}
    </div>
  );
}
