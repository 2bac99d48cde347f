#include "chance.h"

#include <stdlib.h>

int make_aliases(Alias *aliases, const double *weights, uint32_t n) {
    double *scaled = malloc(n * sizeof *scaled);
    uint32_t *stack = malloc(n * sizeof *stack);
    int made = scaled && stack;
    if (made) {
        double total = 0;
        for (uint32_t i = 0; i < n; i++) total += weights[i];
        uint32_t poor = 0, rich = n; /* the poor grow from the stack's start, the rich from its end */
        for (uint32_t i = 0; i < n; i++) {
            scaled[i] = weights[i] / total * n;
            stack[scaled[i] < 1 ? poor++ : --rich] = i;
        }
        while (poor > 0 && rich < n) {
            uint32_t less = stack[--poor], more = stack[rich];
            aliases[less].keep = (uint32_t)(scaled[less] * 4294967296.0);
            aliases[less].alias = more;
            scaled[more] -= 1 - scaled[less];
            if (scaled[more] < 1) {
                rich++;
                stack[poor++] = more;
            }
        }
        /* What is left is whole, but for rounding. */
        while (poor > 0) {
            uint32_t i = stack[--poor];
            aliases[i] = (Alias){UINT32_MAX, i};
        }
        for (; rich < n; rich++) aliases[stack[rich]] = (Alias){UINT32_MAX, stack[rich]};
    }
    free(scaled);
    free(stack);
    return made;
}
