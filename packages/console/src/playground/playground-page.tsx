import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Link2 } from "lucide-react";
import { RESULT_FIELDS } from "../app/list-fields.ts";
import { queries } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { ContextForm, EnvironmentChoice } from "./context-form.tsx";
import { listSearch } from "../ui/list-search.ts";
import { PlaygroundResults } from "./playground-results.tsx";
import { showResults } from "../ui/scroll.ts";
import { copyAddress, useContextAddress } from "./context-address.ts";
import "./playground-page.css";

const route = getRouteApi("/shell/playground");

/** Evaluates all flags for a context that a person chooses. */
export function PlaygroundPage() {
  const environments = useQuery(queries.environments());
  return (
    <Page
      title="Playground"
      description="See which flags a given user gets. Nothing is changed or counted."
      actions={
        <Button onPress={() => void copyAddress()}>
          <Link2 aria-hidden /> Copy link
        </Button>
      }
    >
      <Loaded query={environments}>
        {(all) => (
          <Playground environments={all.filter(({ enabled }) => enabled).map(({ name }) => name)} />
        )}
      </Loaded>
    </Page>
  );
}

function Playground({ environments }: { readonly environments: readonly string[] }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { context, selected } = useContextAddress(environments);
  const { projects = [], run = false } = search;
  const place = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(selected);
  const [chosenProjects, setChosenProjects] = useState(projects);
  const input = { environments: selected, projects, context };
  const results = useQuery({
    ...queries.playground(input),
    enabled: run && selected.length > 0,
  });
  return (
    <div className="playground">
      <ContextForm
        description="Separate several values with commas to combine them: 1,2 stands for two users."
        suggested={SUGGESTED}
        context={context}
        submit="Evaluate"
        isPending={results.isFetching}
        onSubmit={(next) => {
          showResults(place.current);
          void navigate({
            search: (current) => ({
              ...listSearch(RESULT_FIELDS)(current),
              run: true,
              context: next,
              ...(chosen.length < environments.length && { in: chosen }),
              ...(chosenProjects.length > 0 && { projects: chosenProjects }),
            }),
            replace: true,
            resetScroll: false,
          });
        }}
      >
        <EnvironmentChoice environments={environments} selected={chosen} onChange={setChosen} />
        <ProjectChoice selected={chosenProjects} onChange={setChosenProjects} />
      </ContextForm>
      <div className="playground-results" ref={place}>
        {run ? (
          <Loaded query={results}>
            {(flags) => <PlaygroundResults flags={flags} input={input} />}
          </Loaded>
        ) : (
          <Empty title="Choose a context">
            <p>
              Fill in what an application knows about one of its users, for example a user id, and
              see the result of every flag and the reason for it.
            </p>
          </Empty>
        )}
      </div>
    </div>
  );
}

const SUGGESTED = ["userId"];

interface ProjectChoiceProps {
  readonly selected: readonly string[];
  readonly onChange: (selected: readonly string[]) => void;
}

/** A choice of projects. No selected project means all. */
function ProjectChoice({ selected, onChange }: ProjectChoiceProps) {
  const { data: projects = [] } = useQuery(queries.projects());
  if (projects.length < 2) return null;
  return (
    <fieldset className="context-choices">
      <legend>Projects</legend>
      {projects.map(({ id, name }) => (
        <Checkbox
          key={id}
          label={name}
          isSelected={selected.includes(id)}
          onChange={(isSelected) =>
            onChange(isSelected ? [...selected, id] : selected.filter((one) => one !== id))
          }
        />
      ))}
      <p className="muted context-description">
        {selected.length === 0 ? "All projects, as none is selected." : ""}
      </p>
    </fieldset>
  );
}
