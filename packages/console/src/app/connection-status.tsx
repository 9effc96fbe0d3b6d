import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { sessionQuery } from "../session/session.ts";
import "./connection-status.css";

/** Says that the service cannot be reached. The session is read again whenever the stream of changes fails. */
export function ConnectionStatus() {
  const { error } = useQuery(sessionQuery);
  // Screen readers announce what appears in an element that exists already.
  return (
    <div className="connection-status" role="status">
      {error === null ? null : (
        <p>
          <TriangleAlert aria-hidden />
          The service cannot be reached. This page shows what it last received.
        </p>
      )}
    </div>
  );
}
