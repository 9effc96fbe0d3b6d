import { useState } from "react";
import { adminPath, request as send } from "../api/request.ts";
import type { ChangeRequest } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields.tsx";
import { LinkedText } from "../ui/linked-text.tsx";
import { Time } from "../ui/time.tsx";

interface RequestCommentsProps {
  readonly request: ChangeRequest;
  readonly canComment: boolean;
}

/** What people say about a request. */
export function RequestComments({
  request: { project, id, comments },
  canComment,
}: RequestCommentsProps) {
  const [text, setText] = useState("");
  const commenting = useChange({
    run: () =>
      send(adminPath`/projects/${project}/change-requests/${String(id)}/comments`, {
        method: "POST",
        body: { text },
      }),
    invalidates: [["change-requests"]],
  });
  return (
    <section className="request-section" aria-labelledby="comments-heading">
      <h2 id="comments-heading">Comments</h2>
      {comments.length === 0 ? (
        <p className="muted">Nobody has commented yet.</p>
      ) : (
        <ol className="request-comments">
          {comments.map((comment) => (
            <li key={comment.id} className="card">
              <strong>{comment.createdBy.username}</strong>{" "}
              <span className="muted">
                <Time value={comment.createdAt} />
              </span>
              <p>
                <LinkedText text={comment.text} />
              </p>
            </li>
          ))}
        </ol>
      )}
      {canComment ? (
        <form
          className="request-comment-form"
          onSubmit={(event) => {
            event.preventDefault();
            commenting.mutate(undefined, { onSuccess: () => setText("") });
          }}
        >
          <TextField
            label="Your comment"
            value={text}
            onChange={setText}
            rows={3}
            maxLength={10_000}
          />
          <Button type="submit" isPending={commenting.isPending} isDisabled={text.trim() === ""}>
            Comment
          </Button>
        </form>
      ) : null}
    </section>
  );
}
