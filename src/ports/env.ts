/**
 * Reads an environment variable; `undefined` when it is not set. May throw when reading it is not permitted.
 * `edge/deno_world.ts` implements it.
 */
export type Env = (name: string) => string | undefined;
