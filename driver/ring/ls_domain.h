/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* A card that one process has, behind a domain of an IOMMU (ls_domain.c). */
#ifndef LS_DOMAIN_H
#define LS_DOMAIN_H

#include <linux/dma-direction.h>
#include <linux/types.h>

struct ls_device;
struct ls_domain;
struct sg_table;

struct ls_domain *ls_domain_enter(struct ls_device *ls);
void ls_domain_leave(struct ls_domain *domain);
void ls_domain_put(struct ls_domain *domain);
int ls_domain_map(struct ls_domain *domain, struct sg_table *sgt, size_t bytes,
		  enum dma_data_direction dir, dma_addr_t *address);
int ls_domain_map_memory(struct ls_domain *domain, void *memory, size_t bytes,
			 enum dma_data_direction dir, dma_addr_t *address);
void ls_domain_unmap(struct ls_domain *domain, dma_addr_t address, size_t bytes);

#endif
