import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { CreateTokenDialog } from "../tokens/create-token-dialog.tsx";
import { TokenTable } from "../tokens/token-table.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";

interface ProjectTokensProps {
  readonly project: string;
  readonly isAdmin: boolean;
}

/** The tokens that name the project. */
export function ProjectTokens({ project, isAdmin }: ProjectTokensProps) {
  const tokens = useQuery(queries.projectTokens(project));
  const [isCreating, setCreating] = useState(false);
  return (
    <section className="settings-section" aria-labelledby="tokens-heading">
      <h2 id="tokens-heading">API tokens</h2>
      <p className="muted">
        Tokens for this project. <Link to="/tokens">All API tokens</Link> also lists tokens for all
        projects, which work here too.
      </p>
      <Loaded query={tokens}>
        {(all) =>
          all.length === 0 ? (
            <p className="muted">This project has no tokens of its own.</p>
          ) : (
            <TokenTable tokens={all} isAdmin={isAdmin} />
          )
        }
      </Loaded>
      {isAdmin ? (
        <div>
          <Button onPress={() => setCreating(true)}>New token for this project</Button>
        </div>
      ) : null}
      {isCreating ? (
        <CreateTokenDialog project={project} onClose={() => setCreating(false)} />
      ) : null}
    </section>
  );
}
