import { type AlertCase, constant, OPERATOR, TARGET } from './alert-case.ts';

const leads = (instance: string): string =>
  `leader_election_master_status{job="dms-operator",namespace="dms-operator",instance="${instance}",name="dms-operator"}`;
const up = `up{${TARGET}}`;
const started = `process_start_time_seconds{${TARGET}}`;
const panicked = `dms_reconciles_total{${TARGET},kind="Deployment",outcome="panicked"}`;
const longest = 'workqueue_longest_running_processor_seconds';
const waits = (bound: string): string =>
  `workqueue_queue_duration_seconds_bucket{${TARGET},name="deployments",le="${bound}"}`;
const silence = `dms_reflector_last_event_age_seconds{${TARGET},kind="Connection"}`;
const missed = `dms_reflector_missed_total{${TARGET},kind="Deployment"}`;
const requests = (code: string, method = 'PATCH'): string =>
  `rest_client_requests_total{${TARGET},method="${method}",host="10.0.0.1",code="${code}"}`;
const refused = (method: string): string => requests('403', method);

/** The cases of the group dms-operator-controller. */
export const CONTROLLER_CASES: readonly AlertCase[] = [
  {
    alert: 'DmsOperatorDown',
    fires: {
      series: constant(0, up),
      atMinute: 6,
      labels: OPERATOR,
      summary: 'No controller in dms-operator can be scraped.',
    },
    alsoFires: [
      // No pod remains to scrape.
      {
        series: { [up]: '1x9 _x60' },
        atMinute: 21,
        labels: OPERATOR,
        summary: 'No controller in dms-operator can be scraped.',
      },
      // No pod has ever existed.
      {
        series: {},
        atMinute: 6,
        labels: { job: 'dms-operator' },
        summary: 'No controller can be scraped.',
      },
    ],
    quiet: [
      { series: { ...constant(0, up), ...constant(1, up.replace('a:8080', 'b:8080')) }, atMinute: 6 },
      { series: constant(0, up), atMinute: 4 },
    ],
  },
  {
    alert: 'DmsReplicaDown',
    fires: {
      series: constant(0, up),
      atMinute: 11,
      labels: { job: 'dms-operator', instance: 'a:8080', ...OPERATOR },
      summary: 'The replica a:8080 cannot be scraped.',
    },
    quiet: [
      { series: { [up]: '0x8 1 0x8' }, atMinute: 16 },
      // Its pod was deleted, as after an upgrade.
      { series: { [up]: '1x5 0 _x30' }, atMinute: 30 },
    ],
  },
  {
    alert: 'DmsNoLeader',
    fires: {
      series: constant(0, leads('a'), leads('b')),
      atMinute: 3,
      labels: { ...OPERATOR, name: 'dms-operator' },
      summary: 'No replica holds the Lease dms-operator.',
    },
    quiet: [{ series: { [leads('a')]: '1 0 0 0 0', [leads('b')]: '0 0 1 1 1' }, atMinute: 4 }],
  },
  {
    alert: 'DmsTwoLeaders',
    fires: {
      series: constant(1, leads('a'), leads('b')),
      atMinute: 3,
      labels: { ...OPERATOR, name: 'dms-operator' },
      summary: '2 processes believe that they hold the Lease dms-operator.',
    },
    quiet: [
      {
        series: constant(1, leads('a'), leads('b').replace('name="dms-operator"}', 'name="shard-b"}')),
        atMinute: 9,
      },
    ],
  },
  {
    alert: 'DmsCrashLooping',
    fires: {
      series: { [started]: '0x5 400x5 800x5 1300x5' },
      atMinute: 20,
      labels: { job: 'dms-operator', instance: 'a:8080', ...OPERATOR },
      summary: 'The controller a:8080 was started 3 times in half an hour.',
    },
    quiet: [{ series: { [started]: '0x5 400x5 800x20' }, atMinute: 20 }],
  },
  {
    alert: 'DmsPassPanicked',
    fires: {
      series: { [panicked]: '0x5 1x20' },
      atMinute: 10,
      labels: { ...OPERATOR, kind: 'Deployment' },
      summary: 'Passes over a Deployment break: this is a bug.',
    },
    quiet: [{ series: { [panicked]: '1x90' }, atMinute: 80 }],
  },
  {
    alert: 'DmsQueueStuck',
    fires: {
      series: constant(700, `${longest}{${TARGET},name="deployments"}`),
      atMinute: 2,
      labels: { ...OPERATOR, job: 'dms-operator', instance: 'a:8080', name: 'deployments' },
      summary: 'A pass of the queue deployments takes longer than ten minutes.',
    },
    // Another controller, with the same names for its queues.
    quiet: [{ series: constant(9000, `${longest}{job="cert-manager",name="certificates"}`), atMinute: 9 }],
  },
  {
    alert: 'DmsQueueBacklog',
    fires: {
      series: { [waits('60')]: '0x60', [waits('300')]: '0+10x60', [waits('+Inf')]: '0+10x60' },
      atMinute: 30,
      labels: { ...OPERATOR, name: 'deployments' },
      summary: 'Keys wait 4m 57s in the queue deployments.',
    },
    quiet: [{ series: { [waits('1')]: '0+10x60', [waits('+Inf')]: '0+10x60' }, atMinute: 30 }],
  },
  {
    alert: 'DmsWatchStale',
    fires: {
      series: { [silence]: '0+60x20' },
      atMinute: 10,
      labels: { ...OPERATOR, job: 'dms-operator', instance: 'a:8080', kind: 'Connection' },
      summary: 'The watch of Connection in a:8080 is silent for 10m 0s.',
    },
    quiet: [{ series: { [silence]: '0 60 120 0 60 120 0 60 120' }, atMinute: 8 }],
  },
  {
    alert: 'DmsWatchEventsLost',
    fires: {
      series: { [missed]: '0x5 2x20' },
      atMinute: 10,
      labels: { ...OPERATOR, kind: 'Deployment' },
      summary: 'The watch did not report changes of Deployment.',
    },
    quiet: [{ series: constant(2, missed), atMinute: 10 }],
  },
  {
    alert: 'DmsApiServerErrors',
    fires: {
      series: { [requests('200')]: '0+60x60', [requests('<error>')]: '0+60x60' },
      atMinute: 30,
      labels: { ...OPERATOR, instance: 'a:8080' },
      summary: '50% of the requests of a:8080 to the API server fail.',
    },
    quiet: [
      // A conflict is a successful answer in this respect.
      { series: { [requests('200')]: '0+60x60', [requests('409')]: '0+60x60' }, atMinute: 30 },
      { series: { [requests('200')]: '0+1x60', [refused('GET')]: '0+60x60' }, atMinute: 30 },
    ],
  },
  {
    alert: 'DmsRightMissing',
    // One required list, requested every 30 s.
    fires: {
      series: { [refused('GET')]: '0+2x60' },
      atMinute: 30,
      labels: { ...OPERATOR, instance: 'a:8080' },
      summary: 'The API server refuses requests of a:8080 with 403.',
    },
    alsoFires: [
      {
        series: { [refused('PATCH')]: '0+0.2x60' },
        atMinute: 30,
        labels: { ...OPERATOR, instance: 'a:8080' },
        summary: 'The API server refuses requests of a:8080 with 403.',
      },
    ],
    quiet: [
      // Four optional lists, each every 150 s and with almost no other request beside them.
      { series: { [refused('GET')]: '0+1.6x300', [requests('200')]: '0+0.1x300' }, atMinute: 300 },
      // The same after a start.
      { series: { [refused('GET')]: '0 28 32 36 36 40x3 44x5 48x5 52x5' }, atMinute: 16 },
      { series: { [refused('PATCH')]: '0x5 6x60' }, atMinute: 15 },
    ],
  },
];
