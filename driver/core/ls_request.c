// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A transfer: the user's pages, pinned and mapped without a copy, and its end. */
#include <linux/bvec.h>
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "core/ls_compat.h"
#include "core/ls_core.h"

/* Builds a scatter list of pages; neighbours become one piece, so that a huge page is one. */
struct ls_pieces {
	struct scatterlist *sg;	/* the last one, NULL before the first */
	struct scatterlist *next;
	unsigned int count;
	size_t most;	/* bytes of one: what the engine takes, and bounce buffers have room for */
};

static void ls_piece(struct ls_pieces *pieces, struct page *page, unsigned int bytes,
		     unsigned int offset)
{
	struct scatterlist *sg = pieces->sg;

	if (sg && sg_phys(sg) + sg->length == page_to_phys(page) + offset &&
	    sg->length + bytes <= pieces->most) {
		sg->length += bytes;
		return;
	}
	sg = pieces->next;
	sg_set_page(sg, page, bytes, offset);
	pieces->sg = sg;
	pieces->next = sg_next(sg);
	pieces->count++;
}

static struct ls_pieces ls_pieces_of(struct ls_request *req)
{
	return (struct ls_pieces){
		.next = req->sgt.sgl,
		.most = min_t(size_t, dma_get_max_seg_size(req->dma),
			      dma_max_mapping_size(req->dma)),
	};
}

/* Whether the card writes to it. */
static bool ls_is_written(const struct ls_request *req)
{
	return req->dir == DMA_FROM_DEVICE;
}

/* The user's memory from the iterator's place on: how much of it lies together. */
static size_t ls_user_range(const struct iov_iter *iter, unsigned long *address)
{
	*address = (unsigned long)ls_iter_addr(iter);
	return iov_iter_single_seg_count(iter);
}

/*
 * Pages for as long as the design keeps the call waiting, so not where they could not be moved
 * away. Memory that cannot be pinned for long (a file's, that is written) is as direct I/O has it.
 */
static int ls_pin_pages(unsigned long address, int count, unsigned int flags, bool resident,
			struct page **pages)
{
	int got;

	if (resident)
		return ls_pin_resident(address, count, flags, pages);
	got = pin_user_pages_fast(address, count, flags | FOLL_LONGTERM, pages);
	if (got == -EFAULT || got == -EOPNOTSUPP)
		got = pin_user_pages_fast(address, count, flags, pages);
	return got;
}

/*
 * As many pages as were charged. What is cut short by memory that is none is so in a read alone.
 * With @resident, -EAGAIN where some of it would have to be faulted in.
 */
static int ls_pin(struct ls_request *req, struct iov_iter *iter, struct ls_pieces *pieces,
		  size_t left, bool resident)
{
	unsigned int flags = ls_is_written(req) ? FOLL_WRITE : 0;

	iov_iter_advance(iter, 0);	/* empty elements at the start of a vector */
	while (left && req->npages < req->charged) {
		unsigned long address;
		size_t bytes = min(ls_user_range(iter, &address), left);
		unsigned int offset = offset_in_page(address);
		int want = min_t(size_t, DIV_ROUND_UP(offset + bytes, PAGE_SIZE),
				 req->charged - req->npages);
		int got, i;

		got = ls_pin_pages(address & PAGE_MASK, want, flags, resident,
				   req->pages + req->npages);
		if (got <= 0 && resident)
			return -EAGAIN;
		if (got <= 0)
			return ls_is_written(req) && got == -EFAULT && req->length ?
				       0 : got ?: -EFAULT;
		for (i = 0; i < got; i++) {
			unsigned int take = min_t(size_t, bytes, PAGE_SIZE - offset);

			ls_piece(pieces, req->pages[req->npages + i], take, offset);
			req->length += take;
			iov_iter_advance(iter, take);
			bytes -= take;
			left -= take;
			offset = 0;
		}
		req->npages += got;
	}
	return 0;
}

/* Pages that the caller holds: registered buffers of io_uring, and splice. */
static int ls_take_bvecs(struct ls_request *req, struct iov_iter *iter,
			 struct ls_pieces *pieces, size_t left)
{
	while (left) {
		const struct bio_vec *bvec = iter->bvec;
		size_t offset = bvec->bv_offset + iter->iov_offset;
		size_t bytes = min_t(size_t, iov_iter_single_seg_count(iter), left);

		bytes = min_t(size_t, bytes, PAGE_SIZE - offset_in_page(offset));
		ls_piece(pieces, bvec->bv_page + (offset >> PAGE_SHIFT), bytes,
			 offset_in_page(offset));
		req->length += bytes;
		left -= bytes;
		iov_iter_advance(iter, bytes);
	}
	return 0;
}

static struct ls_request *ls_request_alloc(struct device *dma, enum dma_data_direction dir)
{
	struct ls_request *req = kzalloc(sizeof(*req), GFP_KERNEL_ACCOUNT);

	if (!req)
		return NULL;
	req->dma = dma;
	req->dir = dir;
	init_completion(&req->done);
	INIT_LIST_HEAD(&req->node);
	return req;
}

/**
 * ls_request_map - maps the pieces of a request for the card, whose life is held
 * @req: request
 */
int ls_request_map(struct ls_request *req)
{
	req->nents = dma_map_sg(req->dma, req->sgt.sgl, req->sgt.nents, req->dir);
	req->sg = req->sgt.sgl;
	return req->nents ? 0 : -EIO;
}

/**
 * ls_request_unmap - the reverse, where they are mapped
 * @req: request, of which the engine has nothing
 */
void ls_request_unmap(struct ls_request *req)
{
	if (req->nents)
		dma_unmap_sg(req->dma, req->sgt.sgl, req->sgt.nents, req->dir);
	req->nents = 0;
}

/**
 * ls_request_bare - a transfer of what somebody else has mapped, still without pieces
 * @dma: card
 * @dir: direction
 * @count: pieces that it may get
 */
struct ls_request *ls_request_bare(struct device *dma, enum dma_data_direction dir,
				   unsigned int count)
{
	struct ls_request *req = ls_request_alloc(dma, dir);

	if (!req)
		return ERR_PTR(-ENOMEM);
	if (sg_alloc_table(&req->sgt, count, GFP_KERNEL_ACCOUNT)) {
		kfree(req);
		return ERR_PTR(-ENOMEM);
	}
	return req;
}

/**
 * ls_request_add - adds a piece to such a request
 * @req: request
 * @address: bus address
 * @bytes: how long it is
 */
void ls_request_add(struct ls_request *req, dma_addr_t address, unsigned int bytes)
{
	/* The last one so far; what is given to the engine begins with the first. */
	struct scatterlist *sg = req->length ? sg_next(req->last) : req->sgt.sgl;

	sg_dma_address(sg) = address;
	sg_dma_len(sg) = bytes;
	req->last = sg;
	req->sg = req->sgt.sgl;
	req->length += bytes;
}

/* Memory of the kernel, which may lie in pages here and there. */
static unsigned int ls_take_memory(struct ls_request *req, void *data, size_t bytes,
				   struct ls_pieces *pieces)
{
	while (req->length < bytes) {
		void *at = data + req->length;
		size_t take = min_t(size_t, PAGE_SIZE - offset_in_page(at), bytes - req->length);

		ls_piece(pieces, is_vmalloc_addr(at) ? vmalloc_to_page(at) : virt_to_page(at),
			 take, offset_in_page(at));
		req->length += take;
	}
	sg_mark_end(pieces->sg);
	return pieces->count;
}

/**
 * ls_request_memory - a transfer of memory of the kernel
 * @dma: card
 * @dir: direction
 * @data: the memory
 * @bytes: how much of it
 */
struct ls_request *ls_request_memory(struct device *dma, enum dma_data_direction dir, void *data,
				     size_t bytes)
{
	struct ls_request *req = ls_request_bare(dma, dir, DIV_ROUND_UP(bytes, PAGE_SIZE) + 1);
	struct ls_pieces pieces;

	if (IS_ERR(req))
		return req;
	pieces = ls_pieces_of(req);
	req->sgt.nents = ls_take_memory(req, data, bytes, &pieces);
	return req;
}

/**
 * ls_request_new - pins what an iterator speaks of
 * @dma: card; nothing of it is held: who faults memory in may take for ever
 * @dir: direction
 * @iter: the memory; it is advanced by what the request takes
 * @nowait: -EAGAIN where it would have to wait until other calls let go of theirs
 * @resident: the same where the memory would have to be faulted in
 */
struct ls_request *ls_request_new(struct device *dma, enum dma_data_direction dir,
				  struct iov_iter *iter, bool nowait, bool resident)
{
	struct ls_pieces pieces;
	struct ls_request *req;
	int npages, error;
	size_t left;

	if (!iov_iter_is_bvec(iter) && !ls_iter_is_user(iter))
		return ERR_PTR(-EOPNOTSUPP);
	req = ls_request_alloc(dma, dir);
	if (!req)
		return ERR_PTR(-ENOMEM);
	/* A write that is cut would be two frames. */
	if (!ls_is_written(req) && iov_iter_count(iter) > LS_CALL_MAX) {
		error = -EMSGSIZE;
		goto err_free;
	}
	iov_iter_truncate(iter, LS_CALL_MAX);
	left = iov_iter_count(iter);
	npages = iov_iter_npages(iter, INT_MAX);
	if (!iov_iter_is_bvec(iter)) {
		error = ls_charge(req, npages, !ls_is_written(req), nowait);
		if (error)
			goto err_free;
		npages = req->charged;
		req->pages = kvcalloc(npages, sizeof(*req->pages), GFP_KERNEL_ACCOUNT);
		if (!req->pages) {
			error = -ENOMEM;
			goto err_free;
		}
	}
	error = sg_alloc_table(&req->sgt, npages, GFP_KERNEL_ACCOUNT);
	if (error)
		goto err_free;
	pieces = ls_pieces_of(req);
	if (iov_iter_is_bvec(iter))
		error = ls_take_bvecs(req, iter, &pieces, left);
	else
		error = ls_pin(req, iter, &pieces, left, resident);
	if (error)
		goto err_unpin;
	sg_mark_end(pieces.sg);
	req->sgt.nents = pieces.count;
	return req;

err_unpin:
	if (req->npages)
		unpin_user_pages(req->pages, req->npages);
	sg_free_table(&req->sgt);
err_free:
	kvfree(req->pages);
	ls_charge_drop(req);
	kfree(req);
	return ERR_PTR(error);
}

/* The engine may still reach it: it stays mapped and pinned, and nobody gets it. */
static void ls_request_abandon(struct ls_request *req)
{
	if (req->nents)
		dev_err(req->dma, "%zu bytes stay pinned for ever\n", req->length);
	req->nents = 0;
	req->npages = 0;
	ls_charge_keep(req);
}

/* Unmaps and unpins; the engine has nothing of it any more. */
static void ls_request_release(struct ls_request *req)
{
	if (req->held)
		ls_request_abandon(req);
	ls_request_unmap(req);
	if (req->npages)
		unpin_user_pages_dirty_lock(req->pages, req->npages, ls_is_written(req));
	req->npages = 0;
	ls_charge_drop(req);
	sg_free_table(&req->sgt);
	kvfree(req->pages);
	req->pages = NULL;
}

/**
 * ls_request_free - lets go of its memory, and frees it
 * @req: request, of which the engine has nothing, and nobody is to be told
 */
void ls_request_free(struct ls_request *req)
{
	ls_request_release(req);
	kfree(req);
}

/* What a call returns: bytes where any were moved, else why none were. */
ssize_t ls_request_result(const struct ls_request *req)
{
	if (req->before + req->bytes)
		return req->before + req->bytes;
	return req->error;
}

/**
 * ls_request_is_over - true where a request has ended, and the engine has nothing of it
 * @req: request
 */
bool ls_request_is_over(const struct ls_request *req)
{
	return req->ended == req->posted && req->given == req->length;
}

/**
 * ls_request_end - lets go of its memory, and then tells who asked
 * @ch: channel
 * @req: a request that is in no list, and of which the engine has nothing
 *
 * May sleep. The request is gone unless a call waits for it.
 */
void ls_request_end(struct ls_channel *ch, struct ls_request *req)
{
	ls_request_release(req);
	if (req->end) {
		req->end(ch, req);
		kfree(req);
	} else {
		complete(&req->done);
	}
}
