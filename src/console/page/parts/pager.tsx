import type { JSX } from 'preact';
import { hrefOf, type Query, route } from '../state/route.ts';

/** Links to the previous and the next page. Shows nothing if there is only one page. */
export function Pager({
  page,
  pages,
}: {
  readonly page: number;
  readonly pages: number;
}): JSX.Element | null {
  if (pages <= 1) return null;
  const { screen, query } = route.value;
  const to = (wanted: number, label: string, possible: boolean): JSX.Element =>
    possible ? (
      <a class="button" href={hrefOf(screen, withPage(query, wanted))}>
        {label}
      </a>
    ) : (
      <span class="button" aria-disabled="true">
        {label}
      </span>
    );
  return (
    <nav class="pager" aria-label="Pages">
      {to(page - 1, 'Before', page > 1)}
      <span>
        Page {page.toLocaleString('en')} of {pages.toLocaleString('en')}
      </span>
      {to(page + 1, 'Next', page < pages)}
    </nav>
  );
}

const withPage = (query: Query, page: number): Query => ({ ...query, page: page === 1 ? '' : String(page) });
