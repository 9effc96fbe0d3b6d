import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { queries } from "../api/queries.ts";
import { type ContextSearch, parseContextSearch } from "../playground/context.ts";
import { parsePlaygroundSearch } from "../playground/playground-search.ts";
import { sessionQuery } from "../session/session.ts";
import { SignInPage } from "../session/sign-in-page.tsx";
import { NotFound, RouteError } from "./errors.tsx";
import { rememberedProject } from "./last-project.ts";
import { Shell } from "./shell.tsx";

interface RouterContext {
  readonly client: QueryClient;
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  errorComponent: RouteError,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: ({ returnTo, problem }): { returnTo?: string; problem?: string } => ({
    ...(typeof returnTo === "string" && { returnTo }),
    ...(typeof problem === "string" && { problem }),
  }),
  component: SignInPage,
});

/** The frame of all pages for people who have signed in. */
const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
  beforeLoad: async ({ context: { client }, location }) => {
    const session = await client.ensureQueryData(sessionQuery);
    if (session === null) {
      redirect({ to: "/sign-in", search: { returnTo: location.href }, throw: true });
    }
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: "/",
  beforeLoad: async ({ context: { client } }) => {
    const { projects } = await client.ensureQueryData(queries.projects());
    const project = projects.find(({ id }) => id === rememberedProject()) ?? projects[0];
    if (project === undefined) redirect({ to: "/projects", throw: true });
    else {
      redirect({ to: "/projects/$project/flags", params: { project: project.id }, throw: true });
    }
  },
});

const projects = createRoute({
  getParentRoute: () => shell,
  path: "/projects",
  component: lazyRouteComponent(() => import("../projects/projects-page.tsx"), "ProjectsPage"),
});

const flags = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags",
  component: lazyRouteComponent(() => import("../flags/flags-page.tsx"), "FlagsPage"),
});

const archive = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/archive",
  component: lazyRouteComponent(() => import("../archive/archive-page.tsx"), "ArchivePage"),
});

const flag = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/flags/$flag",
  validateSearch: ({ tab, ...search }): { tab?: string } & ContextSearch => ({
    ...(typeof tab === "string" && { tab }),
    ...parseContextSearch(search),
  }),
  component: lazyRouteComponent(() => import("../flag/flag-page.tsx"), "FlagPage"),
});

const projectSettings = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/settings",
  component: lazyRouteComponent(
    () => import("../projects/project-settings-page.tsx"),
    "ProjectSettingsPage",
  ),
});

const transfer = createRoute({
  getParentRoute: () => shell,
  path: "/projects/$project/transfer",
  component: lazyRouteComponent(() => import("../transfer/transfer-page.tsx"), "TransferPage"),
});

const playground = createRoute({
  getParentRoute: () => shell,
  path: "/playground",
  validateSearch: parsePlaygroundSearch,
  component: lazyRouteComponent(
    () => import("../playground/playground-page.tsx"),
    "PlaygroundPage",
  ),
});

const segments = createRoute({
  getParentRoute: () => shell,
  path: "/segments",
  component: lazyRouteComponent(() => import("../segments/segments-page.tsx"), "SegmentsPage"),
});

const contextFields = createRoute({
  getParentRoute: () => shell,
  path: "/context-fields",
  component: lazyRouteComponent(
    () => import("../context-fields/context-fields-page.tsx"),
    "ContextFieldsPage",
  ),
});

const environments = createRoute({
  getParentRoute: () => shell,
  path: "/environments",
  component: lazyRouteComponent(
    () => import("../environments/environments-page.tsx"),
    "EnvironmentsPage",
  ),
});

const tags = createRoute({
  getParentRoute: () => shell,
  path: "/tags",
  component: lazyRouteComponent(() => import("../tags/tags-page.tsx"), "TagsPage"),
});

const tokens = createRoute({
  getParentRoute: () => shell,
  path: "/tokens",
  component: lazyRouteComponent(() => import("../tokens/tokens-page.tsx"), "TokensPage"),
});

const applications = createRoute({
  getParentRoute: () => shell,
  path: "/applications",
  component: lazyRouteComponent(
    () => import("../applications/applications-page.tsx"),
    "ApplicationsPage",
  ),
});

const application = createRoute({
  getParentRoute: () => shell,
  path: "/applications/$application",
  component: lazyRouteComponent(
    () => import("../applications/application-page.tsx"),
    "ApplicationPage",
  ),
});

const events = createRoute({
  getParentRoute: () => shell,
  path: "/events",
  component: lazyRouteComponent(() => import("../events/events-page.tsx"), "EventsPage"),
});

const tree = root.addChildren([
  signIn,
  shell.addChildren([
    home,
    projects,
    flags,
    archive,
    flag,
    projectSettings,
    transfer,
    playground,
    segments,
    contextFields,
    environments,
    tags,
    tokens,
    applications,
    application,
    events,
  ]),
]);

/** The pages of the console, below the address of the service. */
export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree: tree,
    basepath: new URL(document.baseURI).pathname,
    context: { client },
    defaultPreload: "intent",
    defaultErrorComponent: RouteError,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
