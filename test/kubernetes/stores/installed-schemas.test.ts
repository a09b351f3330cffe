import { describe, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../../src/api/generated/field-names.ts';
import type { FieldNames } from '../../../src/api/field-names.ts';
import { ApiError } from '../../../src/kubernetes/client/api-error.ts';
import type { Transport } from '../../../src/kubernetes/client/exchange.ts';
import {
  InstalledSchemas,
  OPENAPI_PATH,
  schemaFitOf,
} from '../../../src/kubernetes/stores/installed-schemas.ts';
import { VirtualClock } from '../../support/doubles/virtual-clock.ts';
import { MemoryLogger } from '../../support/doubles/memory-logger.ts';

interface Described {
  [member: string]: unknown;
  properties?: Record<string, Described>;
}

function described(names: FieldNames): Described {
  const properties = Object.entries(names).map(([name, below]) => [name, described(below)]);
  return properties.length === 0
    ? { type: 'string' }
    : { type: 'object', properties: Object.fromEntries(properties) as Record<string, Described> };
}

/** Returns the changed answer of an API server with our CRDs. */
function openapi(change: (schemas: Record<string, Described>) => void = () => undefined): unknown {
  const kinds = Object.entries(FIELD_NAMES).map(([kind, names]) => {
    const named = [{ group: 'dms-operator.dev', version: 'v1alpha1', kind }];
    return [`dev.${kind}`, { ...described(names), 'x-kubernetes-group-version-kind': named }];
  });
  const schemas = Object.fromEntries(kinds) as Record<string, Described>;
  change(schemas);
  return { components: { schemas: { ...schemas, 'io.k8s.Other': { type: 'object' } } } };
}

function without(field: string): unknown {
  return openapi((schemas) => {
    const [kind = '', ...path] = field.split('.');
    const name = path.pop() ?? '';
    let at: Described | undefined = schemas[`dev.${kind}`];
    for (const step of path) at = at?.properties?.[step];
    if (at?.properties?.[name] === undefined) throw new Error(`there is no ${field}`);
    Reflect.deleteProperty(at.properties, name);
  });
}

describe('the fields of an API server', () => {
  it('match ours if its CRDs do', () => {
    expect(schemaFitOf(openapi())).toEqual({ missing: [], unknown: [] });
  });

  it.each(['Deployment.status', 'Deployment.status.applied.fields.b', 'ClusterConnection.spec.allowedNames'])(
    'lack %s if its CRDs are older',
    (field) => {
      expect(schemaFitOf(without(field))).toEqual({ missing: [field], unknown: [] });
    },
  );

  it('lack nothing of a kind that is not installed', () => {
    const document = openapi((schemas) => void Reflect.deleteProperty(schemas, 'dev.ClusterConnection'));
    expect(schemaFitOf(document)).toEqual({ missing: [], unknown: [] });
  });

  it('are more if its CRDs are newer, including fields in entries of lists and maps', () => {
    const document = openapi((schemas) => {
      const { status = {}, spec = {} } = schemas['dev.Deployment']?.properties ?? {};
      const { revisions = {} } = status.properties ?? {};
      Object.assign(revisions, { type: 'array', properties: undefined, items: { ...revisions } });
      Object.assign((revisions['items'] as Described).properties ?? {}, { tomorrow: {} });
      Object.assign(spec.properties ?? {}, { tomorrow: {} });
    });
    expect(schemaFitOf(document)).toEqual({
      missing: [],
      unknown: ['Deployment.status.revisions.tomorrow', 'Deployment.spec.tomorrow'].toSorted(),
    });
  });

  it('lack nothing if the API server keeps all fields', () => {
    const document = openapi((schemas) => {
      const properties = schemas['dev.Deployment']?.properties ?? {};
      properties['status'] = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    });
    expect(schemaFitOf(document)).toEqual({ missing: [], unknown: [] });
  });

  it.each([
    {},
    null,
    'text',
    { components: [] },
    { components: { schemas: { a: null, b: { type: 'object' } } } },
  ])('are unknown from %j', (document) => {
    expect(schemaFitOf(document)).toBeUndefined();
  });
});

/** Creates schemas over an API server that gives these answers in turn, and repeats the last one. */
function schemasOver(...answers: readonly unknown[]) {
  const left = [...answers];
  const asked: string[] = [];
  const transport: Transport = {
    async request(method, path) {
      asked.push(`${method} ${path}`);
      const json = left.length > 1 ? left.shift() : left[0];
      if (json instanceof Error) throw json;
      return { status: 200, headers: {}, json };
    },
    watch: () => {
      throw new Error('nothing is watched here');
    },
    close: async () => undefined,
  };
  const [clock, logger] = [new VirtualClock(), new MemoryLogger()];
  return { schemas: new InstalledSchemas({ transport, clock, logger }), clock, logger, asked };
}

const told = (logger: MemoryLogger) =>
  logger.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level}: ${message}`);
const OLDER = 'warn: the installed CRDs are older than this controller, which sends nothing to a service';

describe('an announcement', () => {
  it('checks the CRDs once, and again after ten minutes', async () => {
    const { schemas, clock, asked, logger } = schemasOver(openapi());
    await schemas.look();
    await Promise.all([schemas.requireFields(), schemas.requireFields()]);
    expect(asked).toEqual([`GET ${OPENAPI_PATH}`]);
    await clock.advance(600_000);
    await Promise.all([schemas.requireFields(), schemas.requireFields()]);
    expect(asked).toHaveLength(2);
    expect(told(logger)).toEqual([]);
  });

  it('waits while CRDs are older, which is reported once, and continues soon after newer ones are installed', async () => {
    const older = without('Deployment.status.applied');
    const { schemas, clock, logger, asked } = schemasOver(older, older, openapi());
    const message =
      'the installed CRDs are older than this controller: they lack Deployment.status.applied; the controller sends nothing until newer ones are applied';
    await schemas.look();
    await expect(schemas.requireFields()).rejects.toThrow(message);
    await expect(schemas.requireFields()).rejects.toBeInstanceOf(ApiError);
    expect(asked).toHaveLength(1);
    await clock.advance(10_000);
    await expect(schemas.requireFields()).rejects.toThrow(message);
    expect(told(logger)).toEqual([OLDER]);
    await clock.advance(10_000);
    await schemas.requireFields();
    expect(told(logger)).toEqual([OLDER, 'info: the installed CRDs now match this controller']);
  });

  it('continues if the API server refuses to answer, and its last answer counts', async () => {
    const refused = new ApiError('GET: 403', { kind: 'forbidden', status: 403 });
    const silent = schemasOver(refused);
    await silent.schemas.requireFields();
    expect(told(silent.logger)).toEqual([]);

    const { schemas, clock } = schemasOver(without('Deployment.spec.approval'), refused);
    await schemas.look();
    await clock.advance(60_000);
    await expect(schemas.requireFields()).rejects.toThrow('they lack Deployment.spec.approval');
  });

  it('checks the CRDs again after a doubt', async () => {
    const { schemas, asked } = schemasOver(openapi(), without('Deployment.status.name'));
    await schemas.requireFields();
    schemas.doubt();
    await expect(schemas.requireFields()).rejects.toThrow('they lack Deployment.status.name');
    expect(asked).toHaveLength(2);
  });

  it('names the first fields of many', async () => {
    const { schemas } = schemasOver(
      openapi((all) => Object.assign(all['dev.Deployment']?.properties ?? {}, { spec: { properties: {} } })),
    );
    await expect(schemas.requireFields()).rejects.toThrow(/lack (Deployment\.spec\.\w+, ){5}and \d+ more;/);
  });

  it('does not wait for newer CRDs, which are reported', async () => {
    const newer = openapi((all) => Object.assign(all['dev.Connection']?.properties ?? {}, { next: {} }));
    const { schemas, logger } = schemasOver(newer);
    await schemas.requireFields();
    expect(told(logger)).toEqual([
      'info: the installed CRDs are newer than this controller, which leaves unknown fields alone',
    ]);
    expect(logger.lines[0]?.fields).toEqual({ unknown: 'Connection.next' });
  });
});
