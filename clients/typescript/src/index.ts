import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
export type MemoryItem = Schemas["Memory"];
export type Added = Schemas["AddedMemories"];
export type Forgotten = Schemas["ForgottenMemories"];
export type Problem = Schemas["Problem"];
export type Message = Schemas["MessageInRequest"];
export type Kind = MemoryItem["kind"];
export type { components, paths } from "./schema.js";

export interface Options {
  key: string;
  url?: string;
  /** How often a failure that passes is tried again. */
  retries?: number;
  fetch?: (request: Request) => Promise<Response>;
}

export interface AddOptions {
  kind?: "fact" | "rule" | "note" | "document";
  session?: string;
  /** Seconds, at most 30, to wait until messages have been learned from. */
  wait?: number;
  /** A key that makes a repetition one write. */
  once?: string;
}

export interface SearchOptions {
  kinds?: Kind[];
  since?: Date;
  until?: Date;
  limit?: number;
  maxTokens?: number;
}

export interface ListOptions {
  kind?: Exclude<Kind, "passage">;
  state?: "active" | "all";
}

/** What the server refused: `code` is stable, `hint` says what to do next. */
export class RecollectError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly status: number;
  readonly detail: Problem["detail"];

  constructor(problem: Problem) {
    super(`${problem.title} (${problem.code}). ${problem.hint}`.trim());
    this.name = "RecollectError";
    this.code = problem.code;
    this.hint = problem.hint;
    this.status = problem.status;
    this.detail = problem.detail;
  }
}

/** Return every operation of the API, typed by its OpenAPI document. */
export function createRecollect(options: Options): Client<paths> {
  const { url = "http://127.0.0.1:8710", retries = 4, fetch: send = (request) => fetch(request) } = options;
  return createClient<paths>({
    baseUrl: url.replace(/\/$/, ""),
    headers: { Authorization: `Bearer ${options.key}` },
    fetch: (request: Request) => tryAgain(send, request, retries),
  });
}

/** The memory of one user. */
export class Memory {
  readonly user: string;
  private readonly api: Client<paths>;

  constructor(user: string, options: Options | { client: Client<paths> }) {
    this.user = user;
    this.api = "client" in options ? options.client : createRecollect(options);
  }

  /** Keep a text at once, or store messages and learn from them. */
  async add(said: string | Message | Message[], options: AddOptions = {}): Promise<Added> {
    const { once = crypto.randomUUID(), ...rest } = options;
    const body =
      typeof said === "string" ? { text: said } : { messages: Array.isArray(said) ? said : [said] };
    return answerOf(
      await this.api.POST("/api/v1/memories", {
        body: { user: this.user, ...body, ...rest },
        params: { header: { "Idempotency-Key": once } },
      }),
    );
  }

  /** Search everything that is remembered of the user, best first. */
  async search(query: string, options: SearchOptions = {}): Promise<MemoryItem[]> {
    const { since, until, maxTokens, ...rest } = options;
    const found = answerOf(
      await this.api.POST("/api/v1/memories/search", {
        body: {
          user: this.user,
          query,
          ...rest,
          ...(since && { since: since.toISOString() }),
          ...(until && { until: until.toISOString() }),
          ...(maxTokens !== undefined && { max_tokens: maxTokens }),
        },
      }),
    );
    return found.results;
  }

  /** Yield what is remembered, newest first; pages are fetched as they are needed. */
  async *list(options: ListOptions = {}): AsyncGenerator<MemoryItem> {
    let after: string | null = "";
    while (after !== null) {
      const page: Schemas["MemoryPage"] = answerOf(
        await this.api.GET("/api/v1/memories", {
          params: { query: { user: this.user, after, limit: "100", ...options } },
        }),
      );
      yield* page.results;
      after = page.next;
    }
  }

  async get(id: string): Promise<MemoryItem> {
    return answerOf(await this.api.GET("/api/v1/memories/{memory}", { params: { path: { memory: id } } }));
  }

  /** Change a memory's text, or pin it. */
  async update(id: string, change: { text?: string; is_pinned?: boolean }): Promise<MemoryItem> {
    return answerOf(
      await this.api.PATCH("/api/v1/memories/{memory}", { params: { path: { memory: id } }, body: change }),
    );
  }

  /** Forget for good what is named; a query only shows what it finds. */
  async forget(what: string | { ids: string[] } | { query: string }): Promise<Forgotten> {
    const named = typeof what === "string" ? { ids: [what] } : what;
    return answerOf(
      await this.api.POST("/api/v1/memories/forget", { body: { user: this.user, ...named } }),
    );
  }
}

function answerOf<T>(result: { data?: T; error?: Problem; response: Response }): T {
  if (result.data !== undefined) return result.data;
  const { status } = result.response;
  throw new RecollectError(result.error ?? { status, code: "", title: `status ${status}`, hint: "" });
}

const PASSING = new Set([429, 500, 502, 503, 504]);

async function tryAgain(
  send: (request: Request) => Promise<Response>,
  request: Request,
  retries: number,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const answer = await send(request.clone()).catch((error: Error) => error);
    const passes = answer instanceof Error || PASSING.has(answer.status);
    if (!passes || tries === retries) {
      if (answer instanceof Error) throw answer;
      return answer;
    }
    const asked = answer instanceof Error ? NaN : Number(answer.headers.get("retry-after") ?? NaN);
    const seconds = Number.isFinite(asked) ? asked : 0.25 * 2 ** tries * (0.5 + Math.random() / 2);
    await new Promise((done) => setTimeout(done, Math.min(seconds, 30) * 1000));
  }
}
