import type { Auth } from '../switches/structured-answers.ts';

/** The decision whether the service accepts a caller, with the tenant if a header names one. */
export type Admission =
  | { readonly admitted: true; readonly tenantID?: string }
  | { readonly admitted: false; readonly status: 401 | 403; readonly message: string };

/** Judges the headers of a request by the rule in force (section 5 shows none). `ageMs` is the time since the start. */
export function admission(auth: Auth, headers: Readonly<Record<string, string>>, ageMs: number): Admission {
  switch (auth.kind) {
    case 'none':
      return { admitted: true };
    case 'header':
      return judged(headers[auth.name.toLowerCase()], auth.value);
    case 'bearer':
      return judged(headers['authorization'], `Bearer ${auth.token}`);
    case 'rotates':
      return judged(headers[auth.name.toLowerCase()], currentValue(auth, ageMs));
    case 'tenant-header':
      return asTenant(auth, headers[auth.name.toLowerCase()]);
  }
}

function judged(shown: string | undefined, wanted: string | undefined): Admission {
  if (shown !== undefined && shown === wanted) return { admitted: true };
  const message = shown === undefined ? 'a credential is missing' : 'the credential is not valid';
  return { admitted: false, status: 401, message };
}

function asTenant(
  { name, tenants }: Auth & { readonly kind: 'tenant-header' },
  shown: string | undefined,
): Admission {
  if (shown === undefined) return { admitted: false, status: 403, message: `the header ${name} is missing` };
  if (tenants === undefined) return { admitted: true, tenantID: shown };
  const tenantID = Object.hasOwn(tenants, shown) ? tenants[shown] : undefined;
  if (tenantID !== undefined) return { admitted: true, tenantID };
  return { admitted: false, status: 401, message: 'the credential is not valid' };
}

function currentValue(auth: Auth & { readonly kind: 'rotates' }, ageMs: number): string | undefined {
  const turn = Math.floor(ageMs / (auth.everySeconds * 1000));
  return auth.values[turn % auth.values.length];
}
