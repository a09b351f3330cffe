/** An object that has only the members with a value. */
export type Defined<Members extends object> = {
  -readonly [Key in keyof Members as undefined extends Members[Key] ? never : Key]: Members[Key];
} & {
  -readonly [Key in keyof Members as undefined extends Members[Key] ? Key : never]?: Exclude<
    Members[Key],
    undefined
  >;
};

/** Returns the members that are not undefined. */
export function defined<Members extends object>(members: Members): Defined<Members> {
  const result: Record<string, unknown> = {};
  for (const name of Object.keys(members) as (keyof Members & string)[])
    if (members[name] !== undefined) result[name] = members[name];
  return result as Defined<Members>;
}
