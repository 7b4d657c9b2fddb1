/** Reads an environment variable; `undefined` when it is not set. May throw when it must not be read. */
export type Env = (name: string) => string | undefined;
