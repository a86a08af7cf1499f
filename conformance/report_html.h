#ifndef CONFORMANCE_REPORT_HTML_H
#define CONFORMANCE_REPORT_HTML_H

#include "conformance/outcome.h"
#include "conformance/sheet.h"

/* Parts of the HTML report. */

/* Worst first: what is read first. */
extern const enum verdict html_order[VERDICT_COUNT];

/* The class of a verdict: "pass", "fail", "none" (NOT-EXERCISED)... Static. */
const char *html_class(enum verdict v);

/* <b class="v fail">FAIL</b> */
void html_badge(struct sheet *s, enum verdict v);

/* <a class="..." href="#id">id more</a>; more may be "". */
void html_link(struct sheet *s, const char *class, const char *id, const char *more);

/* A case: what it comes to, its checks, its sequence diagram, what it says. open: unfolded. */
void html_case(struct sheet *s, const struct outcome *o, const struct outcome_case *c, bool open);

/* The requirements that the run judged, and of those the ones that were broken in most cases
 * (nothing if none was). */
void html_rules(struct sheet *s, const struct outcome *o);
void html_breaches(struct sheet *s, const struct outcome *o);

/* The sequence diagram with what was said. */
void html_sequence(struct sheet *s, const struct excerpt *e);

#endif
